CREATE SCHEMA stored;
CREATE TABLE stored.paywright_identities (
    kind text NOT NULL,
    identity text NOT NULL
);
CREATE TABLE stored.paywright_items (
    app_id text NOT NULL,
    kind text NOT NULL,
    number text NOT NULL,
    key text NOT NULL,
    address text NOT NULL,
    status text NOT NULL,
    step text NOT NULL,
    why text NOT NULL,
    state text,
    settled_state text,
    paid smallint,
    amount text,
    currency text,
    opened_at bigint NOT NULL,
    changed_at bigint NOT NULL,
    settled_at bigint,
    due_at bigint,
    asked bigint NOT NULL,
    attempts bigint NOT NULL,
    content text NOT NULL,
    follow text NOT NULL,
    version bigint NOT NULL,
    owner text,
    claimed_at bigint DEFAULT 0 NOT NULL,
    lease_until bigint DEFAULT 0 NOT NULL,
    hinted_at bigint,
    says text,
    hints bigint DEFAULT 0 NOT NULL,
    effect_state text,
    effect_at bigint,
    effect_key text,
    effect_contents text
);
CREATE TABLE stored.paywright_nothing (
    owner text NOT NULL,
    CONSTRAINT paywright_nothing_check CHECK (false)
);
CREATE TABLE stored.paywright_notifications (
    key text NOT NULL,
    first smallint NOT NULL,
    digest text NOT NULL,
    subject text NOT NULL,
    kind text NOT NULL,
    state text,
    status text NOT NULL,
    attempts bigint NOT NULL,
    owner text,
    lease_until bigint NOT NULL,
    notify_time bigint NOT NULL,
    first_at bigint NOT NULL,
    changed_at bigint NOT NULL,
    why text NOT NULL,
    body bytea,
    held_by text,
    conflicting smallint NOT NULL,
    claimed_at bigint NOT NULL,
    keep_until bigint NOT NULL,
    state_order text NOT NULL
);
CREATE TABLE stored.paywright_schema (
    version integer NOT NULL,
    id text NOT NULL
);
INSERT INTO stored.paywright_identities VALUES ('app_sandbox_1/PAYMENT', 'the result of orders');
INSERT INTO stored.paywright_items VALUES ('app_sandbox_1', 'orders', 'ord_fails', 'ORD_FAILS', 'http://127.0.0.1:8787', 'open', 'wait', '''ORD_FAILS'' was opened at 2025-06-01T12:00:00+00:00', NULL, NULL, NULL, NULL, NULL, 1748779200000000, 1748779200000000, NULL, 1748779380000000, 0, 0, '{"asks": {}, "content": {"currency": "USD", "totalAmount": "10.5"}, "operation": "orders.checkout"}', '{"paywright_following": 2, "merchant": {"app_id": "app_sandbox_1", "merchant_no": "MN0000000000001", "member_id": "MB0000000000001", "sp_merchant_no": "SP0000000000001", "merchant_id": "MI0000000000001", "snap_partner_id": "SNAP_PARTNER_1"}, "address": "http://127.0.0.1:8787", "kind": "orders", "key": "ORD_FAILS", "asks": {}, "content": {"totalAmount": "10.5", "currency": "USD"}, "started_at": "2025-06-01T12:00:00+00:00", "expires_at": null, "next_at": "2025-06-01T12:03:00+00:00", "asked_at": null, "hinted_at": null, "stateless_since": null, "operation": "orders.checkout", "last_state": null, "amount": null, "currency": null, "asked": 0, "failures": 0, "absences": 0, "stateless": 0, "hinted": 0, "doubted": 0, "parts_open": false, "paid": false, "decide": false, "last": "''ORD_FAILS'' was opened at 2025-06-01T12:00:00+00:00", "ends": [], "resolving": null}', 0, NULL, 0, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL);
INSERT INTO stored.paywright_items VALUES ('app_sandbox_1', 'orders', 'ord_open', 'ORD_OPEN', 'http://127.0.0.1:8787', 'open', 'query', 'it is time to ask orders.query', NULL, NULL, NULL, NULL, NULL, 1748779200000000, 1748779200000000, NULL, 1748779200000000, 0, 0, '{"asks": {}, "content": {"currency": "USD", "totalAmount": "10.5"}, "operation": "orders.checkout"}', '{"paywright_following": 2, "merchant": {"app_id": "app_sandbox_1", "merchant_no": "MN0000000000001", "member_id": "MB0000000000001", "sp_merchant_no": "SP0000000000001", "merchant_id": "MI0000000000001", "snap_partner_id": "SNAP_PARTNER_1"}, "address": "http://127.0.0.1:8787", "kind": "orders", "key": "ORD_OPEN", "asks": {}, "content": {"totalAmount": "10.5", "currency": "USD"}, "started_at": "2025-06-01T12:00:00+00:00", "expires_at": null, "next_at": null, "asked_at": null, "hinted_at": null, "stateless_since": null, "operation": "orders.checkout", "last_state": null, "amount": null, "currency": null, "asked": 0, "failures": 0, "absences": 0, "stateless": 0, "hinted": 0, "doubted": 0, "parts_open": false, "paid": false, "decide": false, "last": "''ORD_OPEN'' was opened at 2025-06-01T12:00:00+00:00", "ends": [], "resolving": "{\"paywright_resolving\": 4, \"merchant\": {\"app_id\": \"app_sandbox_1\", \"merchant_no\": \"MN0000000000001\", \"member_id\": \"MB0000000000001\", \"sp_merchant_no\": \"SP0000000000001\", \"merchant_id\": \"MI0000000000001\", \"snap_partner_id\": \"SNAP_PARTNER_1\"}, \"address\": \"http://127.0.0.1:8787\", \"operation\": \"orders.checkout\", \"key\": \"ORD_OPEN\", \"asks\": {}, \"content\": {\"totalAmount\": \"10.5\", \"currency\": \"USD\"}, \"started_at\": \"2025-06-01T12:00:00+00:00\", \"next_at\": \"2025-06-01T12:00:00+00:00\", \"absent_at\": null, \"given_at\": null, \"given_for\": 0, \"absent_dated\": null, \"absences\": 0, \"asked\": 0, \"answers\": 0, \"failures\": 0, \"placings\": 0, \"claimed\": false, \"settled\": false, \"decide\": false, \"code\": null, \"last\": \"\"}"}', 0, NULL, 0, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL);
INSERT INTO stored.paywright_items VALUES ('app_sandbox_1', 'orders', 'ord_closed', 'ORD_CLOSED', 'http://127.0.0.1:8787', 'closed', 'closed', 'cancelled by phone', NULL, NULL, NULL, NULL, NULL, 1748779200000000, 1748779200000000, 1748779200000000, NULL, 0, 0, '{"asks": {}, "content": {"currency": "USD", "totalAmount": "10.5"}, "operation": "orders.checkout"}', '{"paywright_following": 2, "merchant": {"app_id": "app_sandbox_1", "merchant_no": "MN0000000000001", "member_id": "MB0000000000001", "sp_merchant_no": "SP0000000000001", "merchant_id": "MI0000000000001", "snap_partner_id": "SNAP_PARTNER_1"}, "address": "http://127.0.0.1:8787", "kind": "orders", "key": "ORD_CLOSED", "asks": {}, "content": {"totalAmount": "10.5", "currency": "USD"}, "started_at": "2025-06-01T12:00:00+00:00", "expires_at": null, "next_at": "2025-06-01T12:03:00+00:00", "asked_at": null, "hinted_at": null, "stateless_since": null, "operation": "orders.checkout", "last_state": null, "amount": null, "currency": null, "asked": 0, "failures": 0, "absences": 0, "stateless": 0, "hinted": 0, "doubted": 0, "parts_open": false, "paid": false, "decide": false, "last": "''ORD_CLOSED'' was opened at 2025-06-01T12:00:00+00:00", "ends": [], "resolving": null}', 1, NULL, 0, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL);
INSERT INTO stored.paywright_items VALUES ('app_sandbox_1', 'orders', 'ord_paid', 'ORD_PAID', 'http://127.0.0.1:8787', 'settled', 'settled', 'orders.query shows ''ORD_PAID'' as SUCCESS', 'SUCCESS', 'SUCCESS', 1, '10.50', 'USD', 1748779200000000, 1748779200000000, 1748779200000000, NULL, 0, 0, '{"asks": {}, "content": {"currency": "USD", "totalAmount": "10.5"}, "operation": "orders.checkout"}', '{"paywright_following": 2, "merchant": {"app_id": "app_sandbox_1", "merchant_no": "MN0000000000001", "member_id": "MB0000000000001", "sp_merchant_no": "SP0000000000001", "merchant_id": "MI0000000000001", "snap_partner_id": "SNAP_PARTNER_1"}, "address": "http://127.0.0.1:8787", "kind": "orders", "key": "ORD_PAID", "asks": {}, "content": {"totalAmount": "10.5", "currency": "USD"}, "started_at": "2025-06-01T12:00:00+00:00", "expires_at": null, "next_at": null, "asked_at": null, "hinted_at": null, "stateless_since": null, "operation": "orders.checkout", "last_state": "SUCCESS", "amount": "10.50", "currency": "USD", "asked": 0, "failures": 0, "absences": 0, "stateless": 0, "hinted": 0, "doubted": 0, "parts_open": false, "paid": true, "decide": false, "last": "orders.query shows ''ORD_PAID'' as SUCCESS", "ends": [], "resolving": null}', 1, NULL, 0, 0, NULL, NULL, 0, 'SUCCESS', 1748779200000000, 'app_sandbox_1/PAYMENT/ord_paid/SUCCESS', '["SUCCESS", "d8a14cde8b623e0e4b68c7dfd45583677302ae2937ad51fbb194f1c9e4d3dca8"]
');
INSERT INTO stored.paywright_notifications VALUES ('app_sandbox_1/PAYMENT/ord_paid/SUCCESS', 1, 'd8a14cde8b623e0e4b68c7dfd45583677302ae2937ad51fbb194f1c9e4d3dca8', 'app_sandbox_1/orders/ord_paid', 'PAYMENT', 'SUCCESS', 'done', 1, NULL, 1795738100018553, 1748779200000000, 1795738040018553, 1795738040018553, '', NULL, NULL, 0, 1795738040018553, 1796418777518553, '[["BOUNCEBACK"], [], [], true]');
INSERT INTO stored.paywright_notifications VALUES ('app_sandbox_1/PAYMENT/ord_fails/SUCCESS', 1, 'd8a14cde8b623e0e4b68c7dfd45583677302ae2937ad51fbb194f1c9e4d3dca8', 'app_sandbox_1/orders/ord_fails', 'PAYMENT', 'SUCCESS', 'failed', 1, NULL, 1795738100026587, 1748779200000000, 1795738040026587, 1795738040026587, 'the handler raised LookupError at world.py:65', '\x7b22636f6465223a224150504c595f53554343455353222c226d7367223a22537563636573732e222c2276657273696f6e223a22312e30222c226b657956657273696f6e223a2231222c226170704964223a226170705f73616e64626f785f31222c226d65726368616e744e6f223a224d4e30303030303030303030303031222c226e6f7469667954696d65223a22323032352d30362d30315431323a30303a30302e3030302b30303a3030222c226e6f7469667954797065223a225041594d454e54222c2264617461223a7b226f757454726164654e6f223a224f52445f4641494c53222c227472616465546f6b656e223a22545430303030303030303032364234363931374337374241222c22746f74616c416d6f756e74223a31302e35302c2263757272656e6379223a22555344222c22737461747573223a2253554343455353222c22636f6d706c65746554696d65223a22323032352d30362d30315431323a30303a30302e3030302b30303a3030222c227061796d656e7444657461696c73223a5b7b227061796d656e744d6574686f6454797065223a2243415244227d5d7d7d', NULL, 0, 1795738040026587, 1796418777526587, '[["BOUNCEBACK"], [], [], true]');
INSERT INTO stored.paywright_schema VALUES (5, 'b12f9a61b7704c5c4bcc48fb68427db4');
ALTER TABLE ONLY stored.paywright_identities
    ADD CONSTRAINT paywright_identities_pkey PRIMARY KEY (kind);
ALTER TABLE ONLY stored.paywright_items
    ADD CONSTRAINT paywright_items_pkey PRIMARY KEY (app_id, kind, number);
ALTER TABLE ONLY stored.paywright_nothing
    ADD CONSTRAINT paywright_nothing_pkey PRIMARY KEY (owner);
ALTER TABLE ONLY stored.paywright_notifications
    ADD CONSTRAINT paywright_notifications_pkey PRIMARY KEY (key, first, digest);
CREATE INDEX paywright_changed ON stored.paywright_notifications USING btree (changed_at);
CREATE INDEX paywright_claimed ON stored.paywright_notifications USING btree (subject) WHERE (status = 'claimed'::text);
CREATE INDEX paywright_items_changed ON stored.paywright_items USING btree (changed_at, app_id, kind, number);
CREATE INDEX paywright_items_due ON stored.paywright_items USING btree (app_id, address, kind, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX paywright_items_open ON stored.paywright_items USING btree (opened_at, app_id, kind, number) WHERE (status = 'open'::text);
ALTER TABLE ONLY stored.paywright_notifications
    ADD CONSTRAINT the_ledger_commits_when_the_handler_has_returned FOREIGN KEY (held_by) REFERENCES stored.paywright_nothing(owner) DEFERRABLE INITIALLY DEFERRED;
