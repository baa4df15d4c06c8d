"""View of `resource.py.jinja`: a resource with its methods."""

from __future__ import annotations

from paywright_codegen import naming
from paywright_codegen.model.contract import Contract
from paywright_codegen.render.views.follow import FollowView, follow_view
from paywright_codegen.render.views.methods import MethodView, ResolverView, writes_settled_alike


class ResourceView:
    """A resource: the operations that a client calls under one name. `awaited` has its methods with what makes them awaited."""

    def __init__(self, contract: Contract, resource: str, operations: list[MethodView]) -> None:
        self.name = resource
        self.class_name = naming.resource_class(resource)
        self.operations = operations
        self.resolvers = [ResolverView(contract, writes) for writes in writes_settled_alike(contract, resource)]
        self.follow = follow_view(contract, resource, self.resolvers)
        self.slots = ("_call", "_resolve") if self.resolvers else ("_call",)
        forms: list[tuple[str, MethodView | ResolverView | FollowView]] = []
        forms += (("_awaited", each) for each in operations)
        forms += (("_awaited_resolver", each) for each in self.resolvers)
        forms += [] if self.follow is None else [("_shared", self.follow)]
        self.awaited = forms
        cited = dict.fromkeys(section for view in operations for section in view.operation.sections[:1])
        self.doc = f"{self.class_name}: {', '.join(view.verb for view in operations)} [{', '.join(cited)}]."
