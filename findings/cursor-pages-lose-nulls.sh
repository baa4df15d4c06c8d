#!/usr/bin/env bash
# djangorestframework 3.18.3, django-ninja 1.7.1 and fastapi-pagination 0.16.1 with sqlakeyset 2.0.1787969905, seen on 2026-12-01.
# One would guess: pages by cursor, sorted by a time that some orders do not have yet, have each order once; else an error says why not.
# What happens: newest first, orders without a time are on no page, and `next` says that nothing follows: four of seven. Oldest first,
# fastapi-pagination ends after the two of its first page, django-ninja fails on the second page, and Django REST framework has all seven.
# sqlakeyset alone warns. A second column in the order does not help.
# Why it matters: who follows the pages of a list by its time of settlement never sees what is not settled, which is what he looks for.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet djangorestframework==3.18.3 django-ninja==1.7.1 django==5.2.19 fastapi-pagination==0.16.1 sqlakeyset==2.0.1787969905 \
  sqlalchemy==2.1.9 || exit 2
cat >run.py <<'PY'
import warnings
from datetime import datetime, timedelta, timezone

import django
from django.conf import settings

settings.configure(
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "rest_framework", "ninja"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    USE_TZ=True,
    ROOT_URLCONF="__main__",
    SECRET_KEY="pages",
    ALLOWED_HOSTS=["*"],
    REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], "UNAUTHENTICATED_USER": None},
)
django.setup()

import sqlalchemy
from django.core.exceptions import ValidationError
from django.db import connection, models
from django.test import Client
from django.urls import path
from fastapi_pagination import set_page, set_params
from fastapi_pagination.cursor import CursorPage, CursorParams
from fastapi_pagination.ext.sqlalchemy import paginate as paginate_rows
from ninja import NinjaAPI, Schema
from ninja import pagination as ninja_pages
from rest_framework import generics, pagination, serializers
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

DAY = datetime(2026, 12, 1, tzinfo=timezone.utc)
TIMES = {f"A-{number}": None if number % 2 else DAY + timedelta(hours=number) for number in range(7)}
ORDERS = {"newest": ("-settled",), "oldest": ("settled",), "newest-id": ("-settled", "-id")}


class Order(models.Model):
    number = models.CharField(max_length=9)
    settled = models.DateTimeField(null=True)

    class Meta:
        app_label = "shop"


class Numbers(serializers.ModelSerializer):
    class Meta:
        model = Order
        fields = ["number"]


class Number(Schema):
    number: str


api = NinjaAPI()
urlpatterns = []
for name, ordering in ORDERS.items():
    pages = type("Pages", (pagination.CursorPagination,), {"page_size": 2, "ordering": ordering})
    attributes = {"queryset": Order.objects.all(), "serializer_class": Numbers, "pagination_class": pages}
    urlpatterns.append(path(f"rest/{name}", type("View", (generics.ListAPIView,), attributes).as_view()))
    listed = ninja_pages.paginate(ninja_pages.CursorPagination, ordering=ordering, page_size=2)
    api.get(f"/{name}", response=list[Number], url_name=name)(listed(lambda request: Order.objects.all()))
urlpatterns.append(path("ninja/", api.urls))
with connection.schema_editor() as schema:
    schema.create_model(Order)
for number, settled in TIMES.items():
    Order.objects.create(number=number, settled=settled)


def all_pages(url):
    numbers = []
    try:
        while url:
            page = Client().get(url).json()
            numbers += [row["number"] for row in page["results"]]
            url = page["next"]
    except ValidationError:
        numbers.append("ValidationError")
    return " ".join(numbers)


class Base(DeclarativeBase):
    pass


class Row(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[str]
    settled: Mapped[datetime | None]


ROWS = {"newest": (Row.settled.desc(), Row.id.desc()), "oldest": (Row.settled, Row.id)}


def all_rows(session, ordering):
    numbers, cursor = [], None
    while True:
        with set_page(CursorPage), set_params(CursorParams(size=2, cursor=cursor)):
            page = paginate_rows(session, sqlalchemy.select(Row).order_by(*ordering))
        numbers += [row.number for row in page.items]
        cursor = page.next_page
        if cursor is None:
            return " ".join(numbers)


seen = {f"{kind}/{name}": all_pages(f"/{kind}/{name}") for kind in ("rest", "ninja") for name in ORDERS}
engine = sqlalchemy.create_engine("sqlite://")
Base.metadata.create_all(engine)
with Session(engine) as session, warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    session.add_all(Row(number=number, settled=settled) for number, settled in TIMES.items())
    session.commit()
    for name, ordering in ROWS.items():
        seen[f"fastapi/{name}"] = all_rows(session, ordering)
seen["warned"] = any("nullable" in str(warning.message) for warning in warned)
for what, numbers in seen.items():
    print(what, numbers)
assert seen == {
    "rest/newest": "A-6 A-4 A-2 A-0",
    "rest/oldest": "A-1 A-3 A-5 A-0 A-2 A-4 A-6",
    "rest/newest-id": "A-6 A-4 A-2 A-0",
    "ninja/newest": "A-6 A-4 A-2 A-0",
    "ninja/oldest": "A-1 A-3 ValidationError",
    "ninja/newest-id": "A-6 A-4 A-2 A-0",
    "fastapi/newest": "A-6 A-4 A-2 A-0",
    "fastapi/oldest": "A-1 A-3",
    "warned": True,
}, "this has changed"
PY
venv/bin/python run.py
