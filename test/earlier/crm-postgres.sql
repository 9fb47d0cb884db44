--
-- PostgreSQL database dump
--

\restrict OOd9BkXdhjri69xFN740BUo8RarJqj8uxQDBMx9SiQ9Bk0gIekSzvCganX13Nbf

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: api_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    last_four text NOT NULL,
    scopes text NOT NULL,
    created_at_ms bigint NOT NULL,
    expires_at_ms bigint,
    revoked_at_ms bigint,
    rate_requests bigint,
    rate_window_ms bigint,
    last_used_at_ms bigint
);


--
-- Name: contacts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.contacts (
    id bigint NOT NULL,
    version bigint NOT NULL,
    text text NOT NULL,
    email text COLLATE pg_catalog."C",
    name text COLLATE pg_catalog."C",
    phone text COLLATE pg_catalog."C",
    company text COLLATE pg_catalog."C",
    owner_id text COLLATE pg_catalog."C"
);


--
-- Name: crm_schema; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.crm_schema (
    version integer NOT NULL
);


--
-- Name: deals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.deals (
    id bigint NOT NULL,
    version bigint NOT NULL,
    text text NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    stage text NOT NULL COLLATE pg_catalog."C",
    owner_id text COLLATE pg_catalog."C",
    pipeline_id text NOT NULL COLLATE pg_catalog."C",
    amount double precision
);


--
-- Name: deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.deliveries (
    event_id bigint NOT NULL,
    webhook_id bigint NOT NULL,
    record_id text NOT NULL COLLATE pg_catalog."C",
    attempts integer NOT NULL,
    next_at_ms bigint NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    claim text,
    failing_since_ms bigint,
    last_at_ms bigint,
    last_status integer,
    last_error text,
    kept_until_ms bigint
);


--
-- Name: events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.events (
    id bigint NOT NULL,
    kind text NOT NULL,
    text text NOT NULL
);


--
-- Name: fixture_runs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.fixture_runs (
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    created_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL,
    is_ended integer NOT NULL,
    lock_token text,
    lock_owner text,
    locked_until_ms bigint,
    state text
);


--
-- Name: history; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.history (
    id bigint NOT NULL,
    resource text NOT NULL COLLATE pg_catalog."C",
    record_id bigint NOT NULL,
    action text NOT NULL,
    version bigint NOT NULL,
    previous_at_ms bigint,
    fields text NOT NULL,
    old_values text,
    new_values text,
    key_id text COLLATE pg_catalog."C",
    job text COLLATE pg_catalog."C",
    request_id text
);


--
-- Name: idempotency; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.idempotency (
    key text NOT NULL COLLATE pg_catalog."C",
    at_ms bigint NOT NULL,
    fingerprint text NOT NULL,
    status integer NOT NULL,
    location text,
    etag text,
    body text NOT NULL
);


--
-- Name: key_uses; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.key_uses (
    hour_ms bigint NOT NULL,
    key_id text NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    count bigint NOT NULL,
    refused_count bigint NOT NULL,
    last_at_ms bigint NOT NULL,
    last_address text NOT NULL
);


--
-- Name: notes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notes (
    id bigint NOT NULL,
    version bigint NOT NULL,
    text text NOT NULL,
    deal_id bigint NOT NULL
);


--
-- Name: pipelines; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.pipelines (
    place integer NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL
);


--
-- Name: rate_windows; Type: TABLE; Schema: public; Owner: -
--

CREATE UNLOGGED TABLE public.rate_windows (
    key_id text NOT NULL COLLATE pg_catalog."C",
    window_ms bigint NOT NULL,
    number bigint NOT NULL,
    taken bigint NOT NULL
)
WITH (fillfactor='50');


--
-- Name: sequence; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sequence (
    only_row integer NOT NULL,
    last_serial bigint NOT NULL,
    rules_version bigint NOT NULL,
    CONSTRAINT sequence_only_row_check CHECK ((only_row = 1))
)
WITH (fillfactor='10');


--
-- Name: stages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.stages (
    pipeline_id text NOT NULL COLLATE pg_catalog."C",
    place integer NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    "position" integer NOT NULL,
    probability double precision
);


--
-- Name: unique_field_values; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.unique_field_values (
    resource text NOT NULL COLLATE pg_catalog."C",
    member text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C",
    record_id bigint NOT NULL
);


--
-- Name: unique_fields; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.unique_fields (
    resource text NOT NULL COLLATE pg_catalog."C",
    member text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: webhooks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhooks (
    id bigint NOT NULL,
    version bigint NOT NULL,
    text text NOT NULL,
    url text NOT NULL,
    events text NOT NULL,
    secret text NOT NULL,
    old_secrets text DEFAULT '[]'::text NOT NULL,
    failing_since_ms bigint
);


--
-- Name: writers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.writers (
    name text NOT NULL COLLATE pg_catalog."C",
    last_commit bigint NOT NULL,
    at_ms bigint NOT NULL
)
WITH (fillfactor='10');


--
-- Data for Name: api_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_keys VALUES ('key_0sc3h8gfpz1', 'a648bb5ff4eda2c07e1c6cd1d74bb81b7cf731c1e4fe6427c66258903bea6a8d', 'first', 'lier', 'read write', 1795836082301, NULL, NULL, NULL, NULL, 1795836156022);


--
-- Data for Name: contacts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.contacts VALUES (892925066747904, 2, '{"id":"con_0sc3h8pm800","email":"base1@earlier.example","name":"Base 1","phone":"0100","company":"Changed by a job","created_at":"2026-11-28T03:21:23.874Z","updated_at":"2026-11-28T03:21:34.491Z","version":2}', 'base1@earlier.example', 'base 1', '0100', 'changed by a job', NULL);
INSERT INTO public.contacts VALUES (892925067051008, 1, '{"id":"con_0sc3h8pxg00","email":"base3@earlier.example","name":"Base 3","phone":"0102","created_at":"2026-11-28T03:21:23.948Z","updated_at":"2026-11-28T03:21:23.948Z","version":1}', 'base3@earlier.example', 'base 3', '0102', NULL, NULL);
INSERT INTO public.contacts VALUES (892925067051009, 1, '{"id":"con_0sc3h8pxg01","email":"base4@earlier.example","name":"Base 4","phone":"0103","created_at":"2026-11-28T03:21:23.948Z","updated_at":"2026-11-28T03:21:23.948Z","version":1}', 'base4@earlier.example', 'base 4', '0103', NULL, NULL);
INSERT INTO public.contacts VALUES (892925067051010, 1, '{"id":"con_0sc3h8pxg02","email":"base5@earlier.example","name":"Base 5","phone":"0104","created_at":"2026-11-28T03:21:23.948Z","updated_at":"2026-11-28T03:21:23.948Z","version":1}', 'base5@earlier.example', 'base 5', '0104', NULL, NULL);
INSERT INTO public.contacts VALUES (892925067051011, 1, '{"id":"con_0sc3h8pxg03","email":"base6@earlier.example","name":"Base 6","phone":"0105","created_at":"2026-11-28T03:21:23.948Z","updated_at":"2026-11-28T03:21:23.948Z","version":1}', 'base6@earlier.example', 'base 6', '0105', NULL, NULL);
INSERT INTO public.contacts VALUES (892925067055104, 1, '{"id":"con_0sc3h8pxm00","email":"base7@earlier.example","name":"Base 7","phone":"0106","created_at":"2026-11-28T03:21:23.949Z","updated_at":"2026-11-28T03:21:23.949Z","version":1}', 'base7@earlier.example', 'base 7', '0106', NULL, NULL);
INSERT INTO public.contacts VALUES (892925067055105, 1, '{"id":"con_0sc3h8pxm01","email":"base8@earlier.example","name":"Base 8","phone":"0107","created_at":"2026-11-28T03:21:23.949Z","updated_at":"2026-11-28T03:21:23.949Z","version":1}', 'base8@earlier.example', 'base 8', '0107', NULL, NULL);
INSERT INTO public.contacts VALUES (892925067055106, 1, '{"id":"con_0sc3h8pxm02","email":"base9@earlier.example","name":"Base 9","phone":"0108","created_at":"2026-11-28T03:21:23.949Z","updated_at":"2026-11-28T03:21:23.949Z","version":1}', 'base9@earlier.example', 'base 9', '0108', NULL, NULL);
INSERT INTO public.contacts VALUES (892925067055107, 1, '{"id":"con_0sc3h8pxm03","email":"base10@earlier.example","name":"Base 10","phone":"0109","created_at":"2026-11-28T03:21:23.949Z","updated_at":"2026-11-28T03:21:23.949Z","version":1}', 'base10@earlier.example', 'base 10', '0109', NULL, NULL);
INSERT INTO public.contacts VALUES (892925067116544, 1, '{"id":"con_0sc3h8pzg00","email":"base11@earlier.example","name":"Base 11","phone":"0110","created_at":"2026-11-28T03:21:23.964Z","updated_at":"2026-11-28T03:21:23.964Z","version":1}', 'base11@earlier.example', 'base 11', '0110', NULL, NULL);
INSERT INTO public.contacts VALUES (892925067296768, 1, '{"id":"con_0sc3h8q5000","email":"base12@earlier.example","name":"Base 12","phone":"0111","created_at":"2026-11-28T03:21:24.008Z","updated_at":"2026-11-28T03:21:24.008Z","version":1}', 'base12@earlier.example', 'base 12', '0111', NULL, NULL);
INSERT INTO public.contacts VALUES (892925067382784, 1, '{"id":"con_0sc3h8q7m00","email":"base13@earlier.example","name":"Base 13","phone":"0112","created_at":"2026-11-28T03:21:24.029Z","updated_at":"2026-11-28T03:21:24.029Z","version":1}', 'base13@earlier.example', 'base 13', '0112', NULL, NULL);
INSERT INTO public.contacts VALUES (892925067382785, 1, '{"id":"con_0sc3h8q7m01","email":"base14@earlier.example","name":"Base 14","phone":"0113","created_at":"2026-11-28T03:21:24.029Z","updated_at":"2026-11-28T03:21:24.029Z","version":1}', 'base14@earlier.example', 'base 14', '0113', NULL, NULL);
INSERT INTO public.contacts VALUES (892925067382786, 1, '{"id":"con_0sc3h8q7m02","email":"base15@earlier.example","name":"Base 15","phone":"0114","created_at":"2026-11-28T03:21:24.029Z","updated_at":"2026-11-28T03:21:24.029Z","version":1}', 'base15@earlier.example', 'base 15', '0114', NULL, NULL);
INSERT INTO public.contacts VALUES (892925067382787, 2, '{"id":"con_0sc3h8q7m03","email":"base16@earlier.example","name":"Base 16","phone":"0999","created_at":"2026-11-28T03:21:24.029Z","updated_at":"2026-11-28T03:21:51.576Z","version":2}', 'base16@earlier.example', 'base 16', '0999', NULL, NULL);
INSERT INTO public.contacts VALUES (892925067522048, 1, '{"id":"con_0sc3h8qbw00","email":"base17@earlier.example","name":"Base 17","phone":"0116","created_at":"2026-11-28T03:21:24.063Z","updated_at":"2026-11-28T03:21:24.063Z","version":1}', 'base17@earlier.example', 'base 17', '0116', NULL, NULL);
INSERT INTO public.contacts VALUES (892925067694080, 2, '{"id":"con_0sc3h8qh400","email":"base18@earlier.example","name":"Base 18","phone":"0999","created_at":"2026-11-28T03:21:24.105Z","updated_at":"2026-11-28T03:21:51.523Z","version":2}', 'base18@earlier.example', 'base 18', '0999', NULL, NULL);
INSERT INTO public.contacts VALUES (892925067694081, 2, '{"id":"con_0sc3h8qh401","email":"base19@earlier.example","name":"Base 19","phone":"0999","created_at":"2026-11-28T03:21:24.105Z","updated_at":"2026-11-28T03:21:51.510Z","version":2}', 'base19@earlier.example', 'base 19', '0999', NULL, NULL);
INSERT INTO public.contacts VALUES (892925067694082, 1, '{"id":"con_0sc3h8qh402","email":"base20@earlier.example","name":"Base 20","phone":"0119","created_at":"2026-11-28T03:21:24.105Z","updated_at":"2026-11-28T03:21:24.105Z","version":1}', 'base20@earlier.example', 'base 20', '0119', NULL, NULL);
INSERT INTO public.contacts VALUES (892925067755520, 1, '{"id":"con_0sc3h8qk000","email":"base21@earlier.example","name":"Base 21","phone":"0120","created_at":"2026-11-28T03:21:24.120Z","updated_at":"2026-11-28T03:21:24.120Z","version":1}', 'base21@earlier.example', 'base 21', '0120', NULL, NULL);
INSERT INTO public.contacts VALUES (892925067755521, 1, '{"id":"con_0sc3h8qk001","email":"base22@earlier.example","name":"Base 22","phone":"0121","created_at":"2026-11-28T03:21:24.120Z","updated_at":"2026-11-28T03:21:24.120Z","version":1}', 'base22@earlier.example', 'base 22', '0121', NULL, NULL);
INSERT INTO public.contacts VALUES (892925068247040, 1, '{"id":"con_0sc3h8r2000","email":"base23@earlier.example","name":"Base 23","phone":"0122","created_at":"2026-11-28T03:21:24.240Z","updated_at":"2026-11-28T03:21:24.240Z","version":1}', 'base23@earlier.example', 'base 23', '0122', NULL, NULL);
INSERT INTO public.contacts VALUES (892925068247041, 1, '{"id":"con_0sc3h8r2001","email":"base24@earlier.example","name":"Base 24","phone":"0123","created_at":"2026-11-28T03:21:24.240Z","updated_at":"2026-11-28T03:21:24.240Z","version":1}', 'base24@earlier.example', 'base 24', '0123', NULL, NULL);
INSERT INTO public.contacts VALUES (892925068247042, 1, '{"id":"con_0sc3h8r2002","email":"base25@earlier.example","name":"Base 25","phone":"0124","created_at":"2026-11-28T03:21:24.240Z","updated_at":"2026-11-28T03:21:24.240Z","version":1}', 'base25@earlier.example', 'base 25', '0124', NULL, NULL);
INSERT INTO public.contacts VALUES (892925068247044, 1, '{"id":"con_0sc3h8r2004","email":"base27@earlier.example","name":"Base 27","phone":"0126","created_at":"2026-11-28T03:21:24.240Z","updated_at":"2026-11-28T03:21:24.240Z","version":1}', 'base27@earlier.example', 'base 27', '0126', NULL, NULL);
INSERT INTO public.contacts VALUES (892925068251136, 1, '{"id":"con_0sc3h8r2400","email":"base30@earlier.example","name":"Base 30","phone":"0129","created_at":"2026-11-28T03:21:24.241Z","updated_at":"2026-11-28T03:21:24.241Z","version":1}', 'base30@earlier.example', 'base 30', '0129', NULL, NULL);
INSERT INTO public.contacts VALUES (892925090680832, 1, '{"id":"con_0sc3h9dem00","email":"done1@earlier.example","name":"Done 1","phone":"0100","created_at":"2026-11-28T03:21:29.717Z","updated_at":"2026-11-28T03:21:29.717Z","version":1}', 'done1@earlier.example', 'done 1', '0100', NULL, NULL);
INSERT INTO public.contacts VALUES (892925090721792, 1, '{"id":"con_0sc3h9dfw00","email":"done2@earlier.example","name":"Done 2","phone":"0101","created_at":"2026-11-28T03:21:29.727Z","updated_at":"2026-11-28T03:21:29.727Z","version":1}', 'done2@earlier.example', 'done 2', '0101', NULL, NULL);
INSERT INTO public.contacts VALUES (892925090754560, 1, '{"id":"con_0sc3h9dgw00","email":"done3@earlier.example","name":"Done 3","phone":"0102","created_at":"2026-11-28T03:21:29.735Z","updated_at":"2026-11-28T03:21:29.735Z","version":1}', 'done3@earlier.example', 'done 3', '0102', NULL, NULL);
INSERT INTO public.contacts VALUES (892925090754561, 1, '{"id":"con_0sc3h9dgw01","email":"done4@earlier.example","name":"Done 4","phone":"0103","created_at":"2026-11-28T03:21:29.735Z","updated_at":"2026-11-28T03:21:29.735Z","version":1}', 'done4@earlier.example', 'done 4', '0103', NULL, NULL);
INSERT INTO public.contacts VALUES (892925095321600, 1, '{"id":"con_0sc3h9hw800","email":"good@earlier.example","name":"Good row","note":"n","created_at":"2026-11-28T03:21:30.850Z","updated_at":"2026-11-28T03:21:30.850Z","version":1}', 'good@earlier.example', 'good row', NULL, NULL, NULL);
INSERT INTO public.contacts VALUES (892925148635136, 1, '{"id":"con_0sc3hb4q800","email":"sent1@earlier.example","name":"Sent 1","phone":"0100","created_at":"2026-11-28T03:21:43.866Z","updated_at":"2026-11-28T03:21:43.866Z","version":1}', 'sent1@earlier.example', 'sent 1', '0100', NULL, NULL);
INSERT INTO public.contacts VALUES (892925148696576, 1, '{"id":"con_0sc3hb4s400","email":"sent2@earlier.example","name":"Sent 2","phone":"0101","created_at":"2026-11-28T03:21:43.881Z","updated_at":"2026-11-28T03:21:43.881Z","version":1}', 'sent2@earlier.example', 'sent 2', '0101', NULL, NULL);
INSERT INTO public.contacts VALUES (892925148733440, 1, '{"id":"con_0sc3hb4t800","email":"sent3@earlier.example","name":"Sent 3","phone":"0102","created_at":"2026-11-28T03:21:43.890Z","updated_at":"2026-11-28T03:21:43.890Z","version":1}', 'sent3@earlier.example', 'sent 3', '0102', NULL, NULL);
INSERT INTO public.contacts VALUES (892925148749824, 1, '{"id":"con_0sc3hb4tr00","email":"sent4@earlier.example","name":"Sent 4","phone":"0103","created_at":"2026-11-28T03:21:43.894Z","updated_at":"2026-11-28T03:21:43.894Z","version":1}', 'sent4@earlier.example', 'sent 4', '0103', NULL, NULL);
INSERT INTO public.contacts VALUES (892925148905472, 1, '{"id":"con_0sc3hb4zg00","email":"sent5@earlier.example","name":"Sent 5","phone":"0104","created_at":"2026-11-28T03:21:43.932Z","updated_at":"2026-11-28T03:21:43.932Z","version":1}', 'sent5@earlier.example', 'sent 5', '0104', NULL, NULL);
INSERT INTO public.contacts VALUES (892925148954624, 1, '{"id":"con_0sc3hb51000","email":"sent6@earlier.example","name":"Sent 6","phone":"0105","created_at":"2026-11-28T03:21:43.944Z","updated_at":"2026-11-28T03:21:43.944Z","version":1}', 'sent6@earlier.example', 'sent 6', '0105', NULL, NULL);
INSERT INTO public.contacts VALUES (892925155938304, 1, '{"id":"con_0sc3hbbp400","email":"middle1@earlier.example","name":"Middle 1","phone":"0100","created_at":"2026-11-28T03:21:45.649Z","updated_at":"2026-11-28T03:21:45.649Z","version":1}', 'middle1@earlier.example', 'middle 1', '0100', NULL, NULL);
INSERT INTO public.contacts VALUES (892925155995648, 1, '{"id":"con_0sc3hbbqw00","email":"middle2@earlier.example","name":"Middle 2","phone":"0101","created_at":"2026-11-28T03:21:45.663Z","updated_at":"2026-11-28T03:21:45.663Z","version":1}', 'middle2@earlier.example', 'middle 2', '0101', NULL, NULL);
INSERT INTO public.contacts VALUES (892925156233216, 1, '{"id":"con_0sc3hbbz400","email":"middle3@earlier.example","name":"Middle 3","phone":"0102","created_at":"2026-11-28T03:21:45.721Z","updated_at":"2026-11-28T03:21:45.721Z","version":1}', 'middle3@earlier.example', 'middle 3', '0102', NULL, NULL);
INSERT INTO public.contacts VALUES (892925156450304, 1, '{"id":"con_0sc3hbc5r00","email":"middle4@earlier.example","name":"Middle 4","phone":"0103","created_at":"2026-11-28T03:21:45.774Z","updated_at":"2026-11-28T03:21:45.774Z","version":1}', 'middle4@earlier.example', 'middle 4', '0103', NULL, NULL);
INSERT INTO public.contacts VALUES (892925156659200, 1, '{"id":"con_0sc3hbcc400","email":"middle5@earlier.example","name":"Middle 5","phone":"0104","created_at":"2026-11-28T03:21:45.825Z","updated_at":"2026-11-28T03:21:45.825Z","version":1}', 'middle5@earlier.example', 'middle 5', '0104', NULL, NULL);
INSERT INTO public.contacts VALUES (892925156892672, 1, '{"id":"con_0sc3hbck800","email":"middle6@earlier.example","name":"Middle 6","phone":"0105","created_at":"2026-11-28T03:21:45.882Z","updated_at":"2026-11-28T03:21:45.882Z","version":1}', 'middle6@earlier.example', 'middle 6', '0105', NULL, NULL);
INSERT INTO public.contacts VALUES (892925157101568, 1, '{"id":"con_0sc3hbcsm00","email":"middle7@earlier.example","name":"Middle 7","phone":"0106","created_at":"2026-11-28T03:21:45.933Z","updated_at":"2026-11-28T03:21:45.933Z","version":1}', 'middle7@earlier.example', 'middle 7', '0106', NULL, NULL);
INSERT INTO public.contacts VALUES (892925157322752, 1, '{"id":"con_0sc3hbd0c00","email":"middle8@earlier.example","name":"Middle 8","phone":"0107","created_at":"2026-11-28T03:21:45.987Z","updated_at":"2026-11-28T03:21:45.987Z","version":1}', 'middle8@earlier.example', 'middle 8', '0107', NULL, NULL);
INSERT INTO public.contacts VALUES (892925157515264, 1, '{"id":"con_0sc3hbd6800","email":"middle9@earlier.example","name":"Middle 9","phone":"0108","created_at":"2026-11-28T03:21:46.034Z","updated_at":"2026-11-28T03:21:46.034Z","version":1}', 'middle9@earlier.example', 'middle 9', '0108', NULL, NULL);
INSERT INTO public.contacts VALUES (892925157732352, 1, '{"id":"con_0sc3hbdcw00","email":"middle10@earlier.example","name":"Middle 10","phone":"0109","created_at":"2026-11-28T03:21:46.087Z","updated_at":"2026-11-28T03:21:46.087Z","version":1}', 'middle10@earlier.example', 'middle 10', '0109', NULL, NULL);
INSERT INTO public.contacts VALUES (892925157933056, 1, '{"id":"con_0sc3hbdk000","email":"middle11@earlier.example","name":"Middle 11","phone":"0110","created_at":"2026-11-28T03:21:46.136Z","updated_at":"2026-11-28T03:21:46.136Z","version":1}', 'middle11@earlier.example', 'middle 11', '0110', NULL, NULL);
INSERT INTO public.contacts VALUES (892925158371328, 1, '{"id":"con_0sc3hbe0c00","email":"middle12@earlier.example","name":"Middle 12","phone":"0111","created_at":"2026-11-28T03:21:46.243Z","updated_at":"2026-11-28T03:21:46.243Z","version":1}', 'middle12@earlier.example', 'middle 12', '0111', NULL, NULL);
INSERT INTO public.contacts VALUES (892925159014400, 1, '{"id":"con_0sc3hbem000","email":"middle13@earlier.example","name":"Middle 13","phone":"0112","created_at":"2026-11-28T03:21:46.400Z","updated_at":"2026-11-28T03:21:46.400Z","version":1}', 'middle13@earlier.example', 'middle 13', '0112', NULL, NULL);
INSERT INTO public.contacts VALUES (892925159014401, 1, '{"id":"con_0sc3hbem001","email":"middle14@earlier.example","name":"Middle 14","phone":"0113","created_at":"2026-11-28T03:21:46.400Z","updated_at":"2026-11-28T03:21:46.400Z","version":1}', 'middle14@earlier.example', 'middle 14', '0113', NULL, NULL);
INSERT INTO public.contacts VALUES (892925159014402, 1, '{"id":"con_0sc3hbem002","email":"middle15@earlier.example","name":"Middle 15","phone":"0114","created_at":"2026-11-28T03:21:46.400Z","updated_at":"2026-11-28T03:21:46.400Z","version":1}', 'middle15@earlier.example', 'middle 15', '0114', NULL, NULL);
INSERT INTO public.contacts VALUES (892925159014403, 1, '{"id":"con_0sc3hbem003","email":"middle16@earlier.example","name":"Middle 16","phone":"0115","created_at":"2026-11-28T03:21:46.400Z","updated_at":"2026-11-28T03:21:46.400Z","version":1}', 'middle16@earlier.example', 'middle 16', '0115', NULL, NULL);
INSERT INTO public.contacts VALUES (892925159370752, 1, '{"id":"con_0sc3hbeyw00","email":"middle17@earlier.example","name":"Middle 17","phone":"0116","created_at":"2026-11-28T03:21:46.487Z","updated_at":"2026-11-28T03:21:46.487Z","version":1}', 'middle17@earlier.example', 'middle 17', '0116', NULL, NULL);
INSERT INTO public.contacts VALUES (892925159403520, 1, '{"id":"con_0sc3hbezw00","email":"middle18@earlier.example","name":"Middle 18","phone":"0117","created_at":"2026-11-28T03:21:46.495Z","updated_at":"2026-11-28T03:21:46.495Z","version":1}', 'middle18@earlier.example', 'middle 18', '0117', NULL, NULL);
INSERT INTO public.contacts VALUES (892925159477248, 1, '{"id":"con_0sc3hbf2400","email":"middle19@earlier.example","name":"Middle 19","phone":"0118","created_at":"2026-11-28T03:21:46.513Z","updated_at":"2026-11-28T03:21:46.513Z","version":1}', 'middle19@earlier.example', 'middle 19', '0118', NULL, NULL);
INSERT INTO public.contacts VALUES (892925159710720, 1, '{"id":"con_0sc3hbf9800","email":"middle20@earlier.example","name":"Middle 20","phone":"0119","created_at":"2026-11-28T03:21:46.570Z","updated_at":"2026-11-28T03:21:46.570Z","version":1}', 'middle20@earlier.example', 'middle 20', '0119', NULL, NULL);
INSERT INTO public.contacts VALUES (892925159956480, 1, '{"id":"con_0sc3hbfgr00","email":"middle22@earlier.example","name":"Middle 22","phone":"0121","created_at":"2026-11-28T03:21:46.630Z","updated_at":"2026-11-28T03:21:46.630Z","version":1}', 'middle22@earlier.example', 'middle 22', '0121', NULL, NULL);
INSERT INTO public.contacts VALUES (892925160472576, 1, '{"id":"con_0sc3hbg0g00","email":"middle24@earlier.example","name":"Middle 24","phone":"0123","created_at":"2026-11-28T03:21:46.756Z","updated_at":"2026-11-28T03:21:46.756Z","version":1}', 'middle24@earlier.example', 'middle 24', '0123', NULL, NULL);
INSERT INTO public.contacts VALUES (892925171810304, 1, '{"id":"con_0sc3hbttg00","email":"rechecked1@earlier.example","name":"Rechecked 1","phone":"0100","created_at":"2026-11-28T03:21:49.524Z","updated_at":"2026-11-28T03:21:49.524Z","version":1}', 'rechecked1@earlier.example', 'rechecked 1', '0100', NULL, NULL);
INSERT INTO public.contacts VALUES (892925171888128, 1, '{"id":"con_0sc3hbtww00","email":"rechecked2@earlier.example","name":"Rechecked 2","phone":"0101","created_at":"2026-11-28T03:21:49.543Z","updated_at":"2026-11-28T03:21:49.543Z","version":1}', 'rechecked2@earlier.example', 'rechecked 2', '0101', NULL, NULL);
INSERT INTO public.contacts VALUES (892925171888129, 1, '{"id":"con_0sc3hbtww01","email":"rechecked3@earlier.example","name":"Rechecked 3","phone":"0102","created_at":"2026-11-28T03:21:49.543Z","updated_at":"2026-11-28T03:21:49.543Z","version":1}', 'rechecked3@earlier.example', 'rechecked 3', '0102', NULL, NULL);
INSERT INTO public.contacts VALUES (892925172015104, 1, '{"id":"con_0sc3hbv0r00","email":"rechecked4@earlier.example","name":"Rechecked 4","phone":"0103","created_at":"2026-11-28T03:21:49.574Z","updated_at":"2026-11-28T03:21:49.574Z","version":1}', 'rechecked4@earlier.example', 'rechecked 4', '0103', NULL, NULL);
INSERT INTO public.contacts VALUES (892925172146176, 1, '{"id":"con_0sc3hbv4r00","email":"rechecked5@earlier.example","name":"Rechecked 5","phone":"0104","created_at":"2026-11-28T03:21:49.606Z","updated_at":"2026-11-28T03:21:49.606Z","version":1}', 'rechecked5@earlier.example', 'rechecked 5', '0104', NULL, NULL);
INSERT INTO public.contacts VALUES (892925208109056, 1, '{"id":"con_0sc3hcxe800","email":"undo3@earlier.example","name":"Undo 3","phone":"0102","created_at":"2026-11-28T03:21:58.386Z","updated_at":"2026-11-28T03:21:58.386Z","version":1}', 'undo3@earlier.example', 'undo 3', '0102', NULL, NULL);
INSERT INTO public.contacts VALUES (892925208551424, 1, '{"id":"con_0sc3hcxvr00","email":"undo5@earlier.example","name":"Undo 5","phone":"0104","created_at":"2026-11-28T03:21:58.494Z","updated_at":"2026-11-28T03:21:58.494Z","version":1}', 'undo5@earlier.example', 'undo 5', '0104', NULL, NULL);
INSERT INTO public.contacts VALUES (892925223153664, 1, '{"id":"con_0sc3hdbsc00","email":"interrupted1@earlier.example","name":"Interrupted 1","phone":"0100","created_at":"2026-11-28T03:22:02.059Z","updated_at":"2026-11-28T03:22:02.059Z","version":1}', 'interrupted1@earlier.example', 'interrupted 1', '0100', NULL, NULL);
INSERT INTO public.contacts VALUES (892925223215104, 1, '{"id":"con_0sc3hdbv800","email":"interrupted2@earlier.example","name":"Interrupted 2","phone":"0101","created_at":"2026-11-28T03:22:02.074Z","updated_at":"2026-11-28T03:22:02.074Z","version":1}', 'interrupted2@earlier.example', 'interrupted 2', '0101', NULL, NULL);
INSERT INTO public.contacts VALUES (892925223215105, 1, '{"id":"con_0sc3hdbv801","email":"interrupted3@earlier.example","name":"Interrupted 3","phone":"0102","created_at":"2026-11-28T03:22:02.074Z","updated_at":"2026-11-28T03:22:02.074Z","version":1}', 'interrupted3@earlier.example', 'interrupted 3', '0102', NULL, NULL);
INSERT INTO public.contacts VALUES (892925223284736, 1, '{"id":"con_0sc3hdbxc00","email":"interrupted4@earlier.example","name":"Interrupted 4","phone":"0103","created_at":"2026-11-28T03:22:02.091Z","updated_at":"2026-11-28T03:22:02.091Z","version":1}', 'interrupted4@earlier.example', 'interrupted 4', '0103', NULL, NULL);
INSERT INTO public.contacts VALUES (892925223387136, 1, '{"id":"con_0sc3hdc0g00","email":"interrupted5@earlier.example","name":"Interrupted 5","phone":"0104","created_at":"2026-11-28T03:22:02.116Z","updated_at":"2026-11-28T03:22:02.116Z","version":1}', 'interrupted5@earlier.example', 'interrupted 5', '0104', NULL, NULL);
INSERT INTO public.contacts VALUES (892925223534592, 1, '{"id":"con_0sc3hdc5000","email":"interrupted6@earlier.example","name":"Interrupted 6","phone":"0105","created_at":"2026-11-28T03:22:02.152Z","updated_at":"2026-11-28T03:22:02.152Z","version":1}', 'interrupted6@earlier.example', 'interrupted 6', '0105', NULL, NULL);
INSERT INTO public.contacts VALUES (892925223677952, 1, '{"id":"con_0sc3hdc9c00","email":"interrupted7@earlier.example","name":"Interrupted 7","phone":"0106","created_at":"2026-11-28T03:22:02.187Z","updated_at":"2026-11-28T03:22:02.187Z","version":1}', 'interrupted7@earlier.example', 'interrupted 7', '0106', NULL, NULL);
INSERT INTO public.contacts VALUES (892925224058880, 1, '{"id":"con_0sc3hdcn000","email":"interrupted8@earlier.example","name":"Interrupted 8","phone":"0107","created_at":"2026-11-28T03:22:02.280Z","updated_at":"2026-11-28T03:22:02.280Z","version":1}', 'interrupted8@earlier.example', 'interrupted 8', '0107', NULL, NULL);
INSERT INTO public.contacts VALUES (892925224062976, 1, '{"id":"con_0sc3hdcn400","email":"interrupted9@earlier.example","name":"Interrupted 9","phone":"0108","created_at":"2026-11-28T03:22:02.281Z","updated_at":"2026-11-28T03:22:02.281Z","version":1}', 'interrupted9@earlier.example', 'interrupted 9', '0108', NULL, NULL);
INSERT INTO public.contacts VALUES (892925224697856, 1, '{"id":"con_0sc3hdd8g00","email":"interrupted10@earlier.example","name":"Interrupted 10","phone":"0109","created_at":"2026-11-28T03:22:02.436Z","updated_at":"2026-11-28T03:22:02.436Z","version":1}', 'interrupted10@earlier.example', 'interrupted 10', '0109', NULL, NULL);
INSERT INTO public.contacts VALUES (892925234372608, 1, '{"id":"con_0sc3hdpfr00","email":"cancelled1@earlier.example","name":"Cancelled 1","phone":"0100","created_at":"2026-11-28T03:22:04.798Z","updated_at":"2026-11-28T03:22:04.798Z","version":1}', 'cancelled1@earlier.example', 'cancelled 1', '0100', NULL, NULL);
INSERT INTO public.contacts VALUES (892925234372609, 1, '{"id":"con_0sc3hdpfr01","email":"cancelled2@earlier.example","name":"Cancelled 2","phone":"0101","created_at":"2026-11-28T03:22:04.798Z","updated_at":"2026-11-28T03:22:04.798Z","version":1}', 'cancelled2@earlier.example', 'cancelled 2', '0101', NULL, NULL);
INSERT INTO public.contacts VALUES (892925234708480, 1, '{"id":"con_0sc3hdpt000","email":"cancelled3@earlier.example","name":"Cancelled 3","phone":"0102","created_at":"2026-11-28T03:22:04.880Z","updated_at":"2026-11-28T03:22:04.880Z","version":1}', 'cancelled3@earlier.example', 'cancelled 3', '0102', NULL, NULL);
INSERT INTO public.contacts VALUES (892925234761728, 1, '{"id":"con_0sc3hdpvm00","email":"cancelled4@earlier.example","name":"Cancelled 4","phone":"0103","created_at":"2026-11-28T03:22:04.893Z","updated_at":"2026-11-28T03:22:04.893Z","version":1}', 'cancelled4@earlier.example', 'cancelled 4', '0103', NULL, NULL);
INSERT INTO public.contacts VALUES (892925234855936, 1, '{"id":"con_0sc3hdpyg00","email":"cancelled5@earlier.example","name":"Cancelled 5","phone":"0104","created_at":"2026-11-28T03:22:04.916Z","updated_at":"2026-11-28T03:22:04.916Z","version":1}', 'cancelled5@earlier.example', 'cancelled 5', '0104', NULL, NULL);
INSERT INTO public.contacts VALUES (892925235081216, 1, '{"id":"con_0sc3hdq5c00","email":"cancelled6@earlier.example","name":"Cancelled 6","phone":"0105","created_at":"2026-11-28T03:22:04.971Z","updated_at":"2026-11-28T03:22:04.971Z","version":1}', 'cancelled6@earlier.example', 'cancelled 6', '0105', NULL, NULL);
INSERT INTO public.contacts VALUES (892925235302400, 1, '{"id":"con_0sc3hdqc400","email":"cancelled7@earlier.example","name":"Cancelled 7","phone":"0106","created_at":"2026-11-28T03:22:05.025Z","updated_at":"2026-11-28T03:22:05.025Z","version":1}', 'cancelled7@earlier.example', 'cancelled 7', '0106', NULL, NULL);
INSERT INTO public.contacts VALUES (892925235507200, 1, '{"id":"con_0sc3hdqjc00","email":"cancelled8@earlier.example","name":"Cancelled 8","phone":"0107","created_at":"2026-11-28T03:22:05.075Z","updated_at":"2026-11-28T03:22:05.075Z","version":1}', 'cancelled8@earlier.example', 'cancelled 8', '0107', NULL, NULL);
INSERT INTO public.contacts VALUES (892925235724288, 1, '{"id":"con_0sc3hdqs000","email":"cancelled9@earlier.example","name":"Cancelled 9","phone":"0108","created_at":"2026-11-28T03:22:05.128Z","updated_at":"2026-11-28T03:22:05.128Z","version":1}', 'cancelled9@earlier.example', 'cancelled 9', '0108', NULL, NULL);
INSERT INTO public.contacts VALUES (892925235949568, 1, '{"id":"con_0sc3hdqzw00","email":"cancelled10@earlier.example","name":"Cancelled 10","phone":"0109","created_at":"2026-11-28T03:22:05.183Z","updated_at":"2026-11-28T03:22:05.183Z","version":1}', 'cancelled10@earlier.example', 'cancelled 10', '0109', NULL, NULL);
INSERT INTO public.contacts VALUES (892925236121600, 1, '{"id":"con_0sc3hdr5400","email":"cancelled11@earlier.example","name":"Cancelled 11","phone":"0110","created_at":"2026-11-28T03:22:05.225Z","updated_at":"2026-11-28T03:22:05.225Z","version":1}', 'cancelled11@earlier.example', 'cancelled 11', '0110', NULL, NULL);
INSERT INTO public.contacts VALUES (892925236420608, 1, '{"id":"con_0sc3hdre800","email":"cancelled12@earlier.example","name":"Cancelled 12","phone":"0111","created_at":"2026-11-28T03:22:05.298Z","updated_at":"2026-11-28T03:22:05.298Z","version":1}', 'cancelled12@earlier.example', 'cancelled 12', '0111', NULL, NULL);
INSERT INTO public.contacts VALUES (892925236535296, 1, '{"id":"con_0sc3hdrhr00","email":"cancelled13@earlier.example","name":"Cancelled 13","phone":"0112","created_at":"2026-11-28T03:22:05.326Z","updated_at":"2026-11-28T03:22:05.326Z","version":1}', 'cancelled13@earlier.example', 'cancelled 13', '0112', NULL, NULL);
INSERT INTO public.contacts VALUES (892925236723712, 1, '{"id":"con_0sc3hdrqg00","email":"cancelled14@earlier.example","name":"Cancelled 14","phone":"0113","created_at":"2026-11-28T03:22:05.372Z","updated_at":"2026-11-28T03:22:05.372Z","version":1}', 'cancelled14@earlier.example', 'cancelled 14', '0113', NULL, NULL);
INSERT INTO public.contacts VALUES (892925236916224, 1, '{"id":"con_0sc3hdrxc00","email":"cancelled15@earlier.example","name":"Cancelled 15","phone":"0114","created_at":"2026-11-28T03:22:05.419Z","updated_at":"2026-11-28T03:22:05.419Z","version":1}', 'cancelled15@earlier.example', 'cancelled 15', '0114', NULL, NULL);
INSERT INTO public.contacts VALUES (892925237121024, 1, '{"id":"con_0sc3hds3m00","email":"cancelled16@earlier.example","name":"Cancelled 16","phone":"0115","created_at":"2026-11-28T03:22:05.469Z","updated_at":"2026-11-28T03:22:05.469Z","version":1}', 'cancelled16@earlier.example', 'cancelled 16', '0115', NULL, NULL);
INSERT INTO public.contacts VALUES (892925266407424, 1, '{"id":"con_0sc3hen1c00","email":"merge@earlier.example","name":"Merge A","phone":"1","created_at":"2026-11-28T03:22:12.619Z","updated_at":"2026-11-28T03:22:12.619Z","version":1}', 'merge@earlier.example', 'merge a', '1', NULL, NULL);
INSERT INTO public.contacts VALUES (892925281275904, 1, '{"id":"con_0sc3hf37400","email":"ada+applied@earlier.example","name":"Ada","created_at":"2026-11-28T03:22:16.249Z","updated_at":"2026-11-28T03:22:16.249Z","version":1}', 'ada+applied@earlier.example', 'ada', NULL, NULL, NULL);
INSERT INTO public.contacts VALUES (892925281337344, 1, '{"id":"con_0sc3hf39000","email":"c0+applied@earlier.example","name":"Crowd 0","created_at":"2026-11-28T03:22:16.264Z","updated_at":"2026-11-28T03:22:16.264Z","version":1}', 'c0+applied@earlier.example', 'crowd 0', NULL, NULL, NULL);
INSERT INTO public.contacts VALUES (892925281366016, 1, '{"id":"con_0sc3hf39w00","email":"c1+applied@earlier.example","name":"Crowd 1","created_at":"2026-11-28T03:22:16.271Z","updated_at":"2026-11-28T03:22:16.271Z","version":1}', 'c1+applied@earlier.example', 'crowd 1', NULL, NULL, NULL);
INSERT INTO public.contacts VALUES (892925281394688, 1, '{"id":"con_0sc3hf3ar00","email":"c5+applied@earlier.example","name":"Crowd 5","created_at":"2026-11-28T03:22:16.278Z","updated_at":"2026-11-28T03:22:16.278Z","version":1}', 'c5+applied@earlier.example', 'crowd 5', NULL, NULL, NULL);
INSERT INTO public.contacts VALUES (892925281415168, 1, '{"id":"con_0sc3hf3bc00","email":"c2+applied@earlier.example","name":"Crowd 2","created_at":"2026-11-28T03:22:16.283Z","updated_at":"2026-11-28T03:22:16.283Z","version":1}', 'c2+applied@earlier.example', 'crowd 2', NULL, NULL, NULL);
INSERT INTO public.contacts VALUES (892925281415169, 1, '{"id":"con_0sc3hf3bc01","email":"c3+applied@earlier.example","name":"Crowd 3","created_at":"2026-11-28T03:22:16.283Z","updated_at":"2026-11-28T03:22:16.283Z","version":1}', 'c3+applied@earlier.example', 'crowd 3', NULL, NULL, NULL);
INSERT INTO public.contacts VALUES (892925281415170, 1, '{"id":"con_0sc3hf3bc02","email":"c4+applied@earlier.example","name":"Crowd 4","created_at":"2026-11-28T03:22:16.283Z","updated_at":"2026-11-28T03:22:16.283Z","version":1}', 'c4+applied@earlier.example', 'crowd 4', NULL, NULL, NULL);
INSERT INTO public.contacts VALUES (892925281492992, 1, '{"id":"con_0sc3hf3dr00","email":"c6+applied@earlier.example","name":"Crowd 6","created_at":"2026-11-28T03:22:16.302Z","updated_at":"2026-11-28T03:22:16.302Z","version":1}', 'c6+applied@earlier.example', 'crowd 6', NULL, NULL, NULL);
INSERT INTO public.contacts VALUES (892925281517568, 1, '{"id":"con_0sc3hf3eg00","email":"c7+applied@earlier.example","name":"Crowd 7","created_at":"2026-11-28T03:22:16.308Z","updated_at":"2026-11-28T03:22:16.308Z","version":1}', 'c7+applied@earlier.example', 'crowd 7', NULL, NULL, NULL);
INSERT INTO public.contacts VALUES (892925289877504, 1, '{"id":"con_0sc3hfbdm00","email":"ada+killed@earlier.example","name":"Ada","created_at":"2026-11-28T03:22:18.349Z","updated_at":"2026-11-28T03:22:18.349Z","version":1}', 'ada+killed@earlier.example', 'ada', NULL, NULL, NULL);
INSERT INTO public.contacts VALUES (892925289963520, 1, '{"id":"con_0sc3hfbg800","email":"c0+killed@earlier.example","name":"Crowd 0","created_at":"2026-11-28T03:22:18.370Z","updated_at":"2026-11-28T03:22:18.370Z","version":1}', 'c0+killed@earlier.example', 'crowd 0', NULL, NULL, NULL);
INSERT INTO public.contacts VALUES (892925290045440, 1, '{"id":"con_0sc3hfbjr00","email":"c2+killed@earlier.example","name":"Crowd 2","created_at":"2026-11-28T03:22:18.390Z","updated_at":"2026-11-28T03:22:18.390Z","version":1}', 'c2+killed@earlier.example', 'crowd 2', NULL, NULL, NULL);
INSERT INTO public.contacts VALUES (892925290049536, 1, '{"id":"con_0sc3hfbjw00","email":"c4+killed@earlier.example","name":"Crowd 4","created_at":"2026-11-28T03:22:18.391Z","updated_at":"2026-11-28T03:22:18.391Z","version":1}', 'c4+killed@earlier.example', 'crowd 4', NULL, NULL, NULL);
INSERT INTO public.contacts VALUES (892925290049537, 1, '{"id":"con_0sc3hfbjw01","email":"c5+killed@earlier.example","name":"Crowd 5","created_at":"2026-11-28T03:22:18.391Z","updated_at":"2026-11-28T03:22:18.391Z","version":1}', 'c5+killed@earlier.example', 'crowd 5', NULL, NULL, NULL);
INSERT INTO public.contacts VALUES (892925336145920, 1, '{"id":"con_0sc3hgqhm00","name":"Event 1","created_at":"2026-11-28T03:22:29.645Z","updated_at":"2026-11-28T03:22:29.645Z","version":1}', NULL, 'event 1', NULL, NULL, NULL);
INSERT INTO public.contacts VALUES (892925338746880, 1, '{"id":"con_0sc3hgt1000","name":"Event 2","created_at":"2026-11-28T03:22:30.280Z","updated_at":"2026-11-28T03:22:30.280Z","version":1}', NULL, 'event 2', NULL, NULL, NULL);
INSERT INTO public.contacts VALUES (892925340774400, 1, '{"id":"con_0sc3hgvyw00","name":"Event 3","created_at":"2026-11-28T03:22:30.775Z","updated_at":"2026-11-28T03:22:30.775Z","version":1}', NULL, 'event 3', NULL, NULL, NULL);


--
-- Data for Name: crm_schema; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.crm_schema VALUES (3);


--
-- Data for Name: deals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.deals VALUES (892925071298560, 1, '{"id":"deal_0sc3h8tz400","name":"Kept deal","stage":"Lead","amount":10,"pipeline_id":"sales","created_at":"2026-11-28T03:21:24.985Z","updated_at":"2026-11-28T03:21:24.985Z","version":1}', 'Kept deal', 'Lead', NULL, 'sales', 10);
INSERT INTO public.deals VALUES (892925073981440, 1, '{"id":"deal_0sc3h8xh000","name":"Deal 1","stage":"Lead","amount":100,"pipeline_id":"sales","created_at":"2026-11-28T03:21:25.640Z","updated_at":"2026-11-28T03:21:25.640Z","version":1}', 'Deal 1', 'Lead', NULL, 'sales', 100);
INSERT INTO public.deals VALUES (892925076721664, 1, '{"id":"deal_0sc3h904m00","name":"Deal 2","stage":"Lead","amount":200,"pipeline_id":"sales","created_at":"2026-11-28T03:21:26.309Z","updated_at":"2026-11-28T03:21:26.309Z","version":1}', 'Deal 2', 'Lead', NULL, 'sales', 200);
INSERT INTO public.deals VALUES (892925079580672, 2, '{"id":"deal_0sc3h92vw00","name":"Deal 3","stage":"Qualified","amount":300,"pipeline_id":"sales","created_at":"2026-11-28T03:21:27.007Z","updated_at":"2026-11-28T03:21:56.402Z","version":2}', 'Deal 3', 'Qualified', NULL, 'sales', 300);
INSERT INTO public.deals VALUES (892925080907776, 2, '{"id":"deal_0sc3h944c00","name":"Deal 4","stage":"Qualified","amount":400,"pipeline_id":"sales","created_at":"2026-11-28T03:21:27.331Z","updated_at":"2026-11-28T03:21:56.297Z","version":2}', 'Deal 4', 'Qualified', NULL, 'sales', 400);
INSERT INTO public.deals VALUES (892925082234880, 2, '{"id":"deal_0sc3h95cw00","name":"Deal 5","stage":"Qualified","amount":500,"pipeline_id":"sales","created_at":"2026-11-28T03:21:27.655Z","updated_at":"2026-11-28T03:21:56.260Z","version":2}', 'Deal 5', 'Qualified', NULL, 'sales', 500);
INSERT INTO public.deals VALUES (892925083893760, 2, '{"id":"deal_0sc3h96zg00","name":"Deal 6","stage":"Qualified","amount":600,"pipeline_id":"sales","created_at":"2026-11-28T03:21:28.060Z","updated_at":"2026-11-28T03:21:56.259Z","version":2}', 'Deal 6', 'Qualified', NULL, 'sales', 600);
INSERT INTO public.deals VALUES (892925282414592, 1, '{"id":"deal_0sc3hf49w00","amount":5,"name":"Fixture deal applied","stage":"Lead","pipeline_id":"sales","created_at":"2026-11-28T03:22:16.527Z","updated_at":"2026-11-28T03:22:16.527Z","version":1}', 'Fixture deal applied', 'Lead', NULL, 'sales', 5);


--
-- Data for Name: deliveries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.deliveries VALUES (892925336150016, 892925324951552, 'con_0sc3hgqhm00', 1, 1795836149885, 'succeeded', NULL, NULL, 1795836149885, 200, NULL, 1795922549885);
INSERT INTO public.deliveries VALUES (892925338746881, 892925324951552, 'con_0sc3hgt1000', 1, 1795836150299, 'succeeded', NULL, NULL, 1795836150299, 200, NULL, 1795922550299);
INSERT INTO public.deliveries VALUES (892925340778496, 892925324951552, 'con_0sc3hgvyw00', 2, 1795836482938, 'pending', NULL, 1795836150820, 1795836155764, NULL, 'the connection was refused', NULL);


--
-- Data for Name: events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.events VALUES (892925336150016, 'contact.created', '{"type":"contact.created","timestamp":"2026-11-28T03:22:29.645Z","data":{"id":"con_0sc3hgqhm00","name":"Event 1","created_at":"2026-11-28T03:22:29.645Z","updated_at":"2026-11-28T03:22:29.645Z","version":1}}');
INSERT INTO public.events VALUES (892925338746881, 'contact.created', '{"type":"contact.created","timestamp":"2026-11-28T03:22:30.280Z","data":{"id":"con_0sc3hgt1000","name":"Event 2","created_at":"2026-11-28T03:22:30.280Z","updated_at":"2026-11-28T03:22:30.280Z","version":1}}');
INSERT INTO public.events VALUES (892925340778496, 'contact.created', '{"type":"contact.created","timestamp":"2026-11-28T03:22:30.775Z","data":{"id":"con_0sc3hgvyw00","name":"Event 3","created_at":"2026-11-28T03:22:30.775Z","updated_at":"2026-11-28T03:22:30.775Z","version":1}}');


--
-- Data for Name: fixture_runs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.fixture_runs VALUES ('01aec9f1c9db754e9b0bfb08', 'fixtures/fixtures.yaml/killed', 1795836138076, 1795836138223, 0, 'e97ef5d4-fb9c-446c-bb06-20d777013e11', 'vm, process 18980', 1795836168076, '{"crm_fixtures":1,"account":"http://127.0.0.1:28417","run":"fixtures/fixtures.yaml/killed","generation":0,"records":[],"left":[],"pending":{"job":"job_0sc3hfas424","records":[{"name":"contacts.ada","collection":"contacts","digest":"pPerpczOFGU2ejBS_WcGFz","origin":"created","marks":{"email":"a337a675","name":"763b7bdb"}},{"name":"contacts.crowd[0]","collection":"contacts","digest":"mcZWgComDwST4e-Wc7MPez","origin":"created","marks":{"email":"0ad93cfa","name":"5e9fc373"}},{"name":"contacts.crowd[1]","collection":"contacts","digest":"xDe7fqmYR4OBkIS-dnlUjL","origin":"created","marks":{"email":"f930dcb9","name":"8e60c324"}},{"name":"contacts.crowd[2]","collection":"contacts","digest":"JWxwvuKCnN_7cfKlTxcAPs","origin":"created","marks":{"email":"fdaf55ae","name":"1ef75d9b"}},{"name":"contacts.crowd[3]","collection":"contacts","digest":"o_H1D4qlnrEDZRFetRvrMi","origin":"created","marks":{"email":"0bf00335","name":"76eed51e"}},{"name":"contacts.crowd[4]","collection":"contacts","digest":"upK1UGjLc2PCMWdO6nVUV6","origin":"created","marks":{"email":"b6a60417","name":"d4eaae34"}},{"name":"contacts.crowd[5]","collection":"contacts","digest":"qO34QrZbPLBMefHXOLMZdA","origin":"created","marks":{"email":"59553f90","name":"9d7d0135"}},{"name":"contacts.crowd[6]","collection":"contacts","digest":"9WaCR7b_upRT1HTC24Q-Mi","origin":"created","marks":{"email":"890c329a","name":"dc666b25"}},{"name":"contacts.crowd[7]","collection":"contacts","digest":"EFK5dDo5m5fejUy6sMjjC_","origin":"created","marks":{"email":"2316706e","name":"6a46e0fd"}}],"isDeletion":false,"all":11}}');
INSERT INTO public.fixture_runs VALUES ('76761372318cf3c7bd1ba4a6', 'fixtures/fixtures.yaml/applied', 1795836136130, 1795836136628, 0, NULL, NULL, NULL, '{"crm_fixtures":1,"account":"http://127.0.0.1:28417","run":"fixtures/fixtures.yaml/applied","generation":0,"records":[{"name":"contacts.ada","collection":"contacts","digest":"xlR8Dxssp_jiqXCttygMYE","origin":"created","marks":{"email":"eed93530","name":"763b7bdb"},"id":"con_0sc3hf37400","sinceMs":1795836136236},{"name":"contacts.crowd[0]","collection":"contacts","digest":"HbusXiGjSvitOWuBTbeNzn","origin":"created","marks":{"email":"63029d52","name":"5e9fc373"},"id":"con_0sc3hf39000","sinceMs":1795836136236},{"name":"contacts.crowd[1]","collection":"contacts","digest":"EURpODrTZGhxQdn6zOFlvF","origin":"created","marks":{"email":"c71d2b61","name":"8e60c324"},"id":"con_0sc3hf39w00","sinceMs":1795836136236},{"name":"contacts.crowd[2]","collection":"contacts","digest":"jH9yLy-Qz6MJs8XsBJOlIt","origin":"created","marks":{"email":"7aaf85b4","name":"1ef75d9b"},"id":"con_0sc3hf3bc00","sinceMs":1795836136236},{"name":"contacts.crowd[3]","collection":"contacts","digest":"oWxdBv05Fi1yiayweIXRIo","origin":"created","marks":{"email":"ed76a061","name":"76eed51e"},"id":"con_0sc3hf3bc01","sinceMs":1795836136236},{"name":"contacts.crowd[4]","collection":"contacts","digest":"Bf7FGq6Kzd5-EuzijuHF_d","origin":"created","marks":{"email":"33f600f1","name":"d4eaae34"},"id":"con_0sc3hf3bc02","sinceMs":1795836136236},{"name":"contacts.crowd[5]","collection":"contacts","digest":"5y9kZ3TmIe5-KW0SAkafpg","origin":"created","marks":{"email":"9c7443cf","name":"9d7d0135"},"id":"con_0sc3hf3ar00","sinceMs":1795836136236},{"name":"contacts.crowd[6]","collection":"contacts","digest":"CjUy7omFjOE4KcswK-BTff","origin":"created","marks":{"email":"95d4eb23","name":"dc666b25"},"id":"con_0sc3hf3dr00","sinceMs":1795836136236},{"name":"contacts.crowd[7]","collection":"contacts","digest":"-ktGFll3jkZRy79TPZxRU1","origin":"created","marks":{"email":"a8f45d1d","name":"6a46e0fd"},"id":"con_0sc3hf3eg00","sinceMs":1795836136236},{"name":"deals.big","collection":"deals","digest":"bUMZPHLx3FmBE_iBGNhdms","origin":"created","marks":{"name":"786c41ff","amount":"cb8fc79d","stage":"13626072"},"id":"deal_0sc3hf49w00","sinceMs":1795836136521},{"name":"notes.call","collection":"notes","digest":"oeU959n7B9N7uMtnjMP961","origin":"created","marks":{"body":"ca0ee10a","deal_id":"491197d9"},"id":"note_0sc3hf4n800","sinceMs":1795836136613}],"left":[],"pending":null}');


--
-- Data for Name: history; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.history VALUES (892925066747904, 'contact', 892925066747904, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base1@earlier.example","name":"Base 1","phone":"0100"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_37073067-d7aa-4147-8e86-9e6124eedde8');
INSERT INTO public.history VALUES (892925066977280, 'contact', 892925066977280, 'created', 1, NULL, '["email","name","phone"]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_74989d05-5468-4b27-b206-484871b209fa');
INSERT INTO public.history VALUES (892925067051008, 'contact', 892925067051008, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base3@earlier.example","name":"Base 3","phone":"0102"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_83f31324-21ed-42eb-a601-8ec20552b984');
INSERT INTO public.history VALUES (892925067051009, 'contact', 892925067051009, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base4@earlier.example","name":"Base 4","phone":"0103"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_b9c8eef2-cab1-4fb7-9493-6fcc5b0d5e6e');
INSERT INTO public.history VALUES (892925067051010, 'contact', 892925067051010, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base5@earlier.example","name":"Base 5","phone":"0104"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_06b72cc3-4c6a-4885-942c-947df5a23f42');
INSERT INTO public.history VALUES (892925067051011, 'contact', 892925067051011, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base6@earlier.example","name":"Base 6","phone":"0105"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_08f4e66a-dd4d-450a-aeb7-d387788d5c81');
INSERT INTO public.history VALUES (892925067055104, 'contact', 892925067055104, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base7@earlier.example","name":"Base 7","phone":"0106"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_5af5de1a-968e-41b6-8d00-0d360db878e3');
INSERT INTO public.history VALUES (892925067055105, 'contact', 892925067055105, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base8@earlier.example","name":"Base 8","phone":"0107"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_2be4fdc9-f931-4121-a394-5470d2a90a2d');
INSERT INTO public.history VALUES (892925067055106, 'contact', 892925067055106, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base9@earlier.example","name":"Base 9","phone":"0108"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_fdfac594-53c8-40fb-9225-12f211d4bfbc');
INSERT INTO public.history VALUES (892925067055107, 'contact', 892925067055107, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base10@earlier.example","name":"Base 10","phone":"0109"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_043b01f8-ef15-41a6-a930-bbe88e3e361d');
INSERT INTO public.history VALUES (892925067116544, 'contact', 892925067116544, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base11@earlier.example","name":"Base 11","phone":"0110"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_f7ef7801-2804-4474-8eb6-6ea03cb875be');
INSERT INTO public.history VALUES (892925067296768, 'contact', 892925067296768, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base12@earlier.example","name":"Base 12","phone":"0111"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_9f171ba9-bb77-429c-a895-1d60d1ea1cdf');
INSERT INTO public.history VALUES (892925067382784, 'contact', 892925067382784, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base13@earlier.example","name":"Base 13","phone":"0112"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_1be00728-6f2d-4f67-b9d2-fd7c1e7b01c0');
INSERT INTO public.history VALUES (892925067382785, 'contact', 892925067382785, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base14@earlier.example","name":"Base 14","phone":"0113"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_2becbb87-bccb-44a1-8b29-bb367948130f');
INSERT INTO public.history VALUES (892925067382786, 'contact', 892925067382786, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base15@earlier.example","name":"Base 15","phone":"0114"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_8b214625-da12-44b5-9691-91721552d4b1');
INSERT INTO public.history VALUES (892925067382787, 'contact', 892925067382787, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base16@earlier.example","name":"Base 16","phone":"0115"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_d9d06863-659e-4afa-8b7e-1e2d92c2b0b3');
INSERT INTO public.history VALUES (892925067522048, 'contact', 892925067522048, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base17@earlier.example","name":"Base 17","phone":"0116"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_9d61331f-5da8-4125-835e-76fa13f2b0b9');
INSERT INTO public.history VALUES (892925067694080, 'contact', 892925067694080, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base18@earlier.example","name":"Base 18","phone":"0117"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_0ffb8c2b-10dc-4477-ad73-96d6990ba934');
INSERT INTO public.history VALUES (892925067694081, 'contact', 892925067694081, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base19@earlier.example","name":"Base 19","phone":"0118"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_87bc3321-241d-4e19-9eb9-3fd19ba3b65c');
INSERT INTO public.history VALUES (892925067694082, 'contact', 892925067694082, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base20@earlier.example","name":"Base 20","phone":"0119"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_e17f02b1-522c-4a54-b92a-1104243ecf0a');
INSERT INTO public.history VALUES (892925067755520, 'contact', 892925067755520, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base21@earlier.example","name":"Base 21","phone":"0120"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_a09926a5-5ae0-4351-b6eb-8f194add7430');
INSERT INTO public.history VALUES (892925067755521, 'contact', 892925067755521, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base22@earlier.example","name":"Base 22","phone":"0121"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_7a93d50d-0805-438a-b572-4d1023d707fd');
INSERT INTO public.history VALUES (892925068247040, 'contact', 892925068247040, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base23@earlier.example","name":"Base 23","phone":"0122"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_40f9c9ec-f7e5-4409-bc21-56ee7cc4bf09');
INSERT INTO public.history VALUES (892925068247041, 'contact', 892925068247041, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base24@earlier.example","name":"Base 24","phone":"0123"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_e36c6b56-13d8-421a-b05a-4cdd9eafbd4f');
INSERT INTO public.history VALUES (892925068247042, 'contact', 892925068247042, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base25@earlier.example","name":"Base 25","phone":"0124"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_513262ae-3380-44ef-92ff-e04f5be0d625');
INSERT INTO public.history VALUES (892925068247043, 'contact', 892925068247043, 'created', 1, NULL, '["email","name","phone"]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_815564c0-8599-41ef-8be7-daa52ce01764');
INSERT INTO public.history VALUES (892925068247044, 'contact', 892925068247044, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base27@earlier.example","name":"Base 27","phone":"0126"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_ee1273f5-d1f6-469e-818b-5f605f3b8600');
INSERT INTO public.history VALUES (892925068247045, 'contact', 892925068247045, 'created', 1, NULL, '["email","name","phone"]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_9c775a57-ea48-4bdd-b9b7-26fbc3aa4955');
INSERT INTO public.history VALUES (892925068247046, 'contact', 892925068247046, 'created', 1, NULL, '["email","name","phone"]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_bb191b85-59f6-4da9-ae56-627ac51ef1ee');
INSERT INTO public.history VALUES (892925068251136, 'contact', 892925068251136, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"base30@earlier.example","name":"Base 30","phone":"0129"}', 'key_0sc3h8gfpz1', 'job_0sc3h8ndah9', 'req_8079f895-210a-4322-9bb4-ddadc547dbc9');
INSERT INTO public.history VALUES (892925071298560, 'deal', 892925071298560, 'created', 1, NULL, '["name","stage","amount","pipeline_id"]', NULL, '{"name":"Kept deal","stage":"Lead","amount":10,"pipeline_id":"sales"}', 'key_0sc3h8gfpz1', NULL, 'req_cf2beaac-4f4d-4280-9b3c-129a4c5eccca');
INSERT INTO public.history VALUES (892925073981440, 'deal', 892925073981440, 'created', 1, NULL, '["name","stage","amount","pipeline_id"]', NULL, '{"name":"Deal 1","stage":"Lead","amount":100,"pipeline_id":"sales"}', 'key_0sc3h8gfpz1', NULL, 'req_2f7ff0bb-d9ac-4306-b897-ebba8e15b474');
INSERT INTO public.history VALUES (892925076721664, 'deal', 892925076721664, 'created', 1, NULL, '["name","stage","amount","pipeline_id"]', NULL, '{"name":"Deal 2","stage":"Lead","amount":200,"pipeline_id":"sales"}', 'key_0sc3h8gfpz1', NULL, 'req_7836269d-d2a5-4505-83b6-e51864cd1095');
INSERT INTO public.history VALUES (892925079580672, 'deal', 892925079580672, 'created', 1, NULL, '["name","stage","amount","pipeline_id"]', NULL, '{"name":"Deal 3","stage":"Lead","amount":300,"pipeline_id":"sales"}', 'key_0sc3h8gfpz1', NULL, 'req_5b7b8feb-34f3-4758-8469-5f4a0b7d3f61');
INSERT INTO public.history VALUES (892925080907776, 'deal', 892925080907776, 'created', 1, NULL, '["name","stage","amount","pipeline_id"]', NULL, '{"name":"Deal 4","stage":"Lead","amount":400,"pipeline_id":"sales"}', 'key_0sc3h8gfpz1', NULL, 'req_d614e5b3-a474-4a32-97a9-5f8f83c53630');
INSERT INTO public.history VALUES (892925082234880, 'deal', 892925082234880, 'created', 1, NULL, '["name","stage","amount","pipeline_id"]', NULL, '{"name":"Deal 5","stage":"Lead","amount":500,"pipeline_id":"sales"}', 'key_0sc3h8gfpz1', NULL, 'req_19a9b628-a8b8-48df-95ac-a02223709571');
INSERT INTO public.history VALUES (892925083893760, 'deal', 892925083893760, 'created', 1, NULL, '["name","stage","amount","pipeline_id"]', NULL, '{"name":"Deal 6","stage":"Lead","amount":600,"pipeline_id":"sales"}', 'key_0sc3h8gfpz1', NULL, 'req_c2499e55-894d-481d-b5e3-97d67741d6ea');
INSERT INTO public.history VALUES (892925088034816, 'note', 892925088034816, 'created', 1, NULL, '["deal_id","body"]', NULL, '{"deal_id":"deal_0sc3h96zg00","body":"A note of before"}', 'key_0sc3h8gfpz1', NULL, 'req_7683c643-dfc0-4230-a7ae-4c2896eee2be');
INSERT INTO public.history VALUES (892925090680832, 'contact', 892925090680832, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"done1@earlier.example","name":"Done 1","phone":"0100"}', 'key_0sc3h8gfpz1', 'job_0sc3h9csxw5', 'req_da35891d-bf8d-48dd-9289-a906d003f386');
INSERT INTO public.history VALUES (892925090721792, 'contact', 892925090721792, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"done2@earlier.example","name":"Done 2","phone":"0101"}', 'key_0sc3h8gfpz1', 'job_0sc3h9csxw5', 'req_fcaa9df5-974c-45fc-b6fa-0abced17fce4');
INSERT INTO public.history VALUES (892925090754560, 'contact', 892925090754560, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"done3@earlier.example","name":"Done 3","phone":"0102"}', 'key_0sc3h8gfpz1', 'job_0sc3h9csxw5', 'req_a77ca348-26a4-4690-830a-674b27b3c2d3');
INSERT INTO public.history VALUES (892925090754561, 'contact', 892925090754561, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"done4@earlier.example","name":"Done 4","phone":"0103"}', 'key_0sc3h8gfpz1', 'job_0sc3h9csxw5', 'req_cc17ed03-f110-4524-bcfd-bd52be3f6e47');
INSERT INTO public.history VALUES (892925095321600, 'contact', 892925095321600, 'created', 1, NULL, '["email","name","note"]', NULL, '{"email":"good@earlier.example","name":"Good row","note":"n"}', 'key_0sc3h8gfpz1', 'job_0sc3h9gk1n8', 'req_8a90a002-e7c1-47bb-bd1b-7d771af05e85');
INSERT INTO public.history VALUES (892925099749376, 'contact', 892925099749376, 'created', 1, NULL, '["email","name","phone"]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3h9n90wm', 'req_b605338c-5695-479d-88af-5200d1b1b7d0');
INSERT INTO public.history VALUES (892925099794432, 'contact', 892925099794432, 'created', 1, NULL, '["email","name","phone"]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3h9n90wm', 'req_8d0e4f24-e9a9-4fa3-8360-6d465add6e43');
INSERT INTO public.history VALUES (892925099794433, 'contact', 892925099794433, 'created', 1, NULL, '["email","name","phone"]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3h9n90wm', 'req_05e186f4-d16d-45c4-8a77-342948eb4f2a');
INSERT INTO public.history VALUES (892925106020352, 'contact', 892925099749376, 'deleted', 1, 1795836091931, '[]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3h9vkse0', 'req_f6f5b356-93d4-4639-a9ed-1971588cba88');
INSERT INTO public.history VALUES (892925106065408, 'contact', 892925099794432, 'deleted', 1, 1795836091942, '[]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3h9vkse0', 'req_66a6240a-26d4-4fd2-b826-83b05705d805');
INSERT INTO public.history VALUES (892925106073600, 'contact', 892925099794433, 'deleted', 1, 1795836091942, '[]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3h9vkse0', 'req_8c4d4bbe-147a-4493-b61b-61e249835596');
INSERT INTO public.history VALUES (892925110235136, 'contact', 892925066747904, 'updated', 2, 1795836083874, '["company"]', '{"company":null}', '{"company":"Changed by a job"}', 'key_0sc3h8gfpz1', 'job_0sc3h9yr74j', 'req_f42f5bfe-5f09-453b-9a7c-e46a74ef0032');
INSERT INTO public.history VALUES (892925114806272, 'contact', 892925066977280, 'deleted', 1, 1795836083930, '[]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3ha33tyh', 'req_c6d6cec4-bcb1-4afa-ad21-0501d56fcced');
INSERT INTO public.history VALUES (892925148635136, 'contact', 892925148635136, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"sent1@earlier.example","name":"Sent 1","phone":"0100"}', 'key_0sc3h8gfpz1', 'job_0sc3hb2vvft', 'req_99648d1c-81c9-4f83-b731-2a597f7a2976');
INSERT INTO public.history VALUES (892925148696576, 'contact', 892925148696576, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"sent2@earlier.example","name":"Sent 2","phone":"0101"}', 'key_0sc3h8gfpz1', 'job_0sc3hb2vvft', 'req_a65b7c34-cd00-4284-a129-18f611ecb2b5');
INSERT INTO public.history VALUES (892925148733440, 'contact', 892925148733440, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"sent3@earlier.example","name":"Sent 3","phone":"0102"}', 'key_0sc3h8gfpz1', 'job_0sc3hb2vvft', 'req_ecbdf7b7-a027-4094-8384-1ca0601102e0');
INSERT INTO public.history VALUES (892925148749824, 'contact', 892925148749824, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"sent4@earlier.example","name":"Sent 4","phone":"0103"}', 'key_0sc3h8gfpz1', 'job_0sc3hb2vvft', 'req_2ecbe872-3e3d-4032-8d95-0ca786e37d6e');
INSERT INTO public.history VALUES (892925148905472, 'contact', 892925148905472, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"sent5@earlier.example","name":"Sent 5","phone":"0104"}', 'key_0sc3h8gfpz1', 'job_0sc3hb2vvft', 'req_054f48c4-5dcb-4716-b490-7bed4687bfe9');
INSERT INTO public.history VALUES (892925148954624, 'contact', 892925148954624, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"sent6@earlier.example","name":"Sent 6","phone":"0105"}', 'key_0sc3h8gfpz1', 'job_0sc3hb2vvft', 'req_34225efc-a9fa-4937-b44c-c12bc5e4003c');
INSERT INTO public.history VALUES (892925155938304, 'contact', 892925155938304, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle1@earlier.example","name":"Middle 1","phone":"0100"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_1142c01e-c876-40bd-9360-59e8eed2bf4d');
INSERT INTO public.history VALUES (892925155995648, 'contact', 892925155995648, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle2@earlier.example","name":"Middle 2","phone":"0101"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_b8f1408f-90c1-4b9d-8a11-7a3260b05f06');
INSERT INTO public.history VALUES (892925156233216, 'contact', 892925156233216, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle3@earlier.example","name":"Middle 3","phone":"0102"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_34119f55-7d19-4d22-976d-4dbe73b250b3');
INSERT INTO public.history VALUES (892925156450304, 'contact', 892925156450304, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle4@earlier.example","name":"Middle 4","phone":"0103"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_fcf3ae58-d56e-4e9b-91a0-25b922ec4121');
INSERT INTO public.history VALUES (892925156659200, 'contact', 892925156659200, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle5@earlier.example","name":"Middle 5","phone":"0104"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_4e3c7fa9-461d-4aab-a3b2-88b806581c77');
INSERT INTO public.history VALUES (892925156892672, 'contact', 892925156892672, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle6@earlier.example","name":"Middle 6","phone":"0105"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_ea5d2731-9eb9-429c-87f7-bf5532c26015');
INSERT INTO public.history VALUES (892925157101568, 'contact', 892925157101568, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle7@earlier.example","name":"Middle 7","phone":"0106"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_b8f47091-8140-4907-953a-768fb4046de3');
INSERT INTO public.history VALUES (892925157322752, 'contact', 892925157322752, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle8@earlier.example","name":"Middle 8","phone":"0107"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_9db32742-cdd4-473a-b32b-db347122958f');
INSERT INTO public.history VALUES (892925157515264, 'contact', 892925157515264, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle9@earlier.example","name":"Middle 9","phone":"0108"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_6b1d670a-9f20-40fa-a126-fa9465274bf5');
INSERT INTO public.history VALUES (892925157732352, 'contact', 892925157732352, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle10@earlier.example","name":"Middle 10","phone":"0109"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_ed5d0a0b-9bea-453b-8ae9-734f36a752bd');
INSERT INTO public.history VALUES (892925157933056, 'contact', 892925157933056, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle11@earlier.example","name":"Middle 11","phone":"0110"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_18c986fb-460b-447e-a540-4cf26a6c7270');
INSERT INTO public.history VALUES (892925158371328, 'contact', 892925158371328, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle12@earlier.example","name":"Middle 12","phone":"0111"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_6ce8e285-6319-4a96-88ff-48d7b00a4368');
INSERT INTO public.history VALUES (892925159014400, 'contact', 892925159014400, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle13@earlier.example","name":"Middle 13","phone":"0112"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_6de80c7e-e59f-4dcb-b5fa-5fe7d35826da');
INSERT INTO public.history VALUES (892925159014401, 'contact', 892925159014401, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle14@earlier.example","name":"Middle 14","phone":"0113"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_c665a081-4a69-44c9-9284-478c8b5acc61');
INSERT INTO public.history VALUES (892925159014402, 'contact', 892925159014402, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle15@earlier.example","name":"Middle 15","phone":"0114"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_f3eecdc8-8c45-4e4e-8b50-3bc3415a421c');
INSERT INTO public.history VALUES (892925159014403, 'contact', 892925159014403, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle16@earlier.example","name":"Middle 16","phone":"0115"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_ac00b108-55ec-4fb1-a27a-b2b2db6a9235');
INSERT INTO public.history VALUES (892925159370752, 'contact', 892925159370752, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle17@earlier.example","name":"Middle 17","phone":"0116"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_d8e61495-4e1e-4b65-a2ee-dbe17aa812b7');
INSERT INTO public.history VALUES (892925159403520, 'contact', 892925159403520, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle18@earlier.example","name":"Middle 18","phone":"0117"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_ed710f35-1ab7-4066-ab67-128181c6167b');
INSERT INTO public.history VALUES (892925159477248, 'contact', 892925159477248, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle19@earlier.example","name":"Middle 19","phone":"0118"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_4d2830a2-a3ff-41ea-b57e-78737cb4c791');
INSERT INTO public.history VALUES (892925159710720, 'contact', 892925159710720, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle20@earlier.example","name":"Middle 20","phone":"0119"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_ebaadb4a-ec4a-46a8-9267-da89fba1f81b');
INSERT INTO public.history VALUES (892925159956480, 'contact', 892925159956480, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle22@earlier.example","name":"Middle 22","phone":"0121"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_08f6ff7e-e303-4ea9-8a1b-09e60ee933d9');
INSERT INTO public.history VALUES (892925160472576, 'contact', 892925160472576, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"middle24@earlier.example","name":"Middle 24","phone":"0123"}', 'key_0sc3h8gfpz1', 'job_0sc3hb9y7p6', 'req_46717c5d-99eb-489b-9f5b-e2db3b60d29a');
INSERT INTO public.history VALUES (892925171810304, 'contact', 892925171810304, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"rechecked1@earlier.example","name":"Rechecked 1","phone":"0100"}', 'key_0sc3h8gfpz1', 'job_0sc3hbqew38', 'req_57455be7-243a-4e5f-8f6c-980dafdfa010');
INSERT INTO public.history VALUES (892925171888128, 'contact', 892925171888128, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"rechecked2@earlier.example","name":"Rechecked 2","phone":"0101"}', 'key_0sc3h8gfpz1', 'job_0sc3hbqew38', 'req_bccf3fbc-778d-4656-abb4-6cf08cb6453f');
INSERT INTO public.history VALUES (892925171888129, 'contact', 892925171888129, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"rechecked3@earlier.example","name":"Rechecked 3","phone":"0102"}', 'key_0sc3h8gfpz1', 'job_0sc3hbqew38', 'req_5dfadfc0-7d87-4f0c-91ba-7f3dd32181a4');
INSERT INTO public.history VALUES (892925172015104, 'contact', 892925172015104, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"rechecked4@earlier.example","name":"Rechecked 4","phone":"0103"}', 'key_0sc3h8gfpz1', 'job_0sc3hbqew38', 'req_cd9e7dba-567c-4da9-aa3d-3288634a741c');
INSERT INTO public.history VALUES (892925172146176, 'contact', 892925172146176, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"rechecked5@earlier.example","name":"Rechecked 5","phone":"0104"}', 'key_0sc3h8gfpz1', 'job_0sc3hbqew38', 'req_105c24de-228b-4b30-ad9c-df8301f70f9a');
INSERT INTO public.history VALUES (892925179944960, 'contact', 892925067694081, 'updated', 2, 1795836084105, '["phone"]', '{"phone":"0118"}', '{"phone":"0999"}', 'key_0sc3h8gfpz1', 'job_0sc3hc0ehfw', 'req_539b711b-7af2-49fa-b28f-b5f1928bd270');
INSERT INTO public.history VALUES (892925179998208, 'contact', 892925067694080, 'updated', 2, 1795836084105, '["phone"]', '{"phone":"0117"}', '{"phone":"0999"}', 'key_0sc3h8gfpz1', 'job_0sc3hc0ehfw', 'req_60ad1068-6469-46cd-8f9a-2eb15c2b3331');
INSERT INTO public.history VALUES (892925180215296, 'contact', 892925067382787, 'updated', 2, 1795836084029, '["phone"]', '{"phone":"0115"}', '{"phone":"0999"}', 'key_0sc3h8gfpz1', 'job_0sc3hc0ehfw', 'req_1c87bd7b-ee89-4a77-88d2-563436d87ee9');
INSERT INTO public.history VALUES (892925188775936, 'contact', 892925068247046, 'deleted', 1, 1795836084240, '[]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3hc8nces', 'req_50b606fd-58c1-4ae5-b5cb-297783aefa88');
INSERT INTO public.history VALUES (892925188829184, 'contact', 892925068247045, 'deleted', 1, 1795836084240, '[]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3hc8nces', 'req_4c4cad24-e9cb-4ec6-b7da-b0ee3ebf1564');
INSERT INTO public.history VALUES (892925188980736, 'contact', 892925068247043, 'deleted', 1, 1795836084240, '[]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3hc8nces', 'req_20c62856-2623-4ef9-a1d2-3b9d01c81203');
INSERT INTO public.history VALUES (892925199396864, 'deal', 892925083893760, 'updated', 2, 1795836088060, '["stage"]', '{"stage":"Lead"}', '{"stage":"Qualified"}', 'key_0sc3h8gfpz1', 'job_0sc3hck0ehj', 'req_24585e67-e011-4a66-b372-7060099d4811');
INSERT INTO public.history VALUES (892925199400960, 'deal', 892925082234880, 'updated', 2, 1795836087655, '["stage"]', '{"stage":"Lead"}', '{"stage":"Qualified"}', 'key_0sc3h8gfpz1', 'job_0sc3hck0ehj', 'req_a8bd39d0-6556-4dec-86e1-9358aa24c173');
INSERT INTO public.history VALUES (892925199552512, 'deal', 892925080907776, 'updated', 2, 1795836087331, '["stage"]', '{"stage":"Lead"}', '{"stage":"Qualified"}', 'key_0sc3h8gfpz1', 'job_0sc3hck0ehj', 'req_04f3a949-6d74-4884-9d3b-d94121314f71');
INSERT INTO public.history VALUES (892925199982592, 'deal', 892925079580672, 'updated', 2, 1795836087007, '["stage"]', '{"stage":"Lead"}', '{"stage":"Qualified"}', 'key_0sc3h8gfpz1', 'job_0sc3hck0ehj', 'req_ced93b65-e146-4d6d-aeba-d4c462152a41');
INSERT INTO public.history VALUES (892925207818240, 'contact', 892925207818240, 'created', 1, NULL, '["email","name","phone"]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3hctm55g', 'req_cf906fad-c676-419f-ae15-9351af07d02b');
INSERT INTO public.history VALUES (892925207887872, 'contact', 892925207887872, 'created', 1, NULL, '["email","name","phone"]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3hctm55g', 'req_b003e710-9c72-47ab-b2be-cfdea916d074');
INSERT INTO public.history VALUES (892925208109056, 'contact', 892925208109056, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"undo3@earlier.example","name":"Undo 3","phone":"0102"}', 'key_0sc3h8gfpz1', 'job_0sc3hctm55g', 'req_141c6c53-baea-40f6-8d93-80bd41639cb6');
INSERT INTO public.history VALUES (892925208305664, 'contact', 892925208305664, 'created', 1, NULL, '["email","name","phone"]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3hctm55g', 'req_d21a4bc6-8df5-43f4-9977-d20ddb08f720');
INSERT INTO public.history VALUES (892925208551424, 'contact', 892925208551424, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"undo5@earlier.example","name":"Undo 5","phone":"0104"}', 'key_0sc3h8gfpz1', 'job_0sc3hctm55g', 'req_5482eedc-d284-41a1-b8d8-c30234c8390b');
INSERT INTO public.history VALUES (892925208784896, 'contact', 892925208784896, 'created', 1, NULL, '["email","name","phone"]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3hctm55g', 'req_ed0bf781-b61d-4f52-899e-f2bc8a0bf626');
INSERT INTO public.history VALUES (892925216899072, 'contact', 892925207818240, 'deleted', 1, 1795836118315, '[]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3hd4c6h3', 'req_3290e8ea-a6c5-40d8-a5f8-326ad0ae084c');
INSERT INTO public.history VALUES (892925216915456, 'contact', 892925207887872, 'deleted', 1, 1795836118332, '[]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3hd4c6h3', 'req_c381a7b5-6818-44a5-a4ed-b0ab6e4c64ca');
INSERT INTO public.history VALUES (892925217054720, 'contact', 892925208305664, 'deleted', 1, 1795836118434, '[]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3hd4c6h3', 'req_60011300-c05f-4581-8394-ef974e419327');
INSERT INTO public.history VALUES (892925217415168, 'contact', 892925208784896, 'deleted', 1, 1795836118551, '[]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3hd4c6h3', 'req_516aa1c6-4850-4fae-bf77-5058be0fd683');
INSERT INTO public.history VALUES (892925223153664, 'contact', 892925223153664, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"interrupted1@earlier.example","name":"Interrupted 1","phone":"0100"}', 'key_0sc3h8gfpz1', 'job_0sc3hd9nabh', 'req_8db893c9-a4d7-44e5-8a4e-446105370bed');
INSERT INTO public.history VALUES (892925223215104, 'contact', 892925223215104, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"interrupted2@earlier.example","name":"Interrupted 2","phone":"0101"}', 'key_0sc3h8gfpz1', 'job_0sc3hd9nabh', 'req_8fbf0452-d8b5-462b-ac20-f7bef573e7d5');
INSERT INTO public.history VALUES (892925223215105, 'contact', 892925223215105, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"interrupted3@earlier.example","name":"Interrupted 3","phone":"0102"}', 'key_0sc3h8gfpz1', 'job_0sc3hd9nabh', 'req_f34370a4-55dc-45cd-9b39-d9a9e216e6ad');
INSERT INTO public.history VALUES (892925223284736, 'contact', 892925223284736, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"interrupted4@earlier.example","name":"Interrupted 4","phone":"0103"}', 'key_0sc3h8gfpz1', 'job_0sc3hd9nabh', 'req_696eec67-cf37-4cca-b94b-9c87c2df3557');
INSERT INTO public.history VALUES (892925223387136, 'contact', 892925223387136, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"interrupted5@earlier.example","name":"Interrupted 5","phone":"0104"}', 'key_0sc3h8gfpz1', 'job_0sc3hd9nabh', 'req_bd9c85f8-8c75-4791-bc61-56fd63946073');
INSERT INTO public.history VALUES (892925223534592, 'contact', 892925223534592, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"interrupted6@earlier.example","name":"Interrupted 6","phone":"0105"}', 'key_0sc3h8gfpz1', 'job_0sc3hd9nabh', 'req_59329f8d-0205-4d8b-ac71-912016290b3e');
INSERT INTO public.history VALUES (892925223677952, 'contact', 892925223677952, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"interrupted7@earlier.example","name":"Interrupted 7","phone":"0106"}', 'key_0sc3h8gfpz1', 'job_0sc3hd9nabh', 'req_c5ca61f1-cb06-4626-b13c-f5bd70671126');
INSERT INTO public.history VALUES (892925224058880, 'contact', 892925224058880, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"interrupted8@earlier.example","name":"Interrupted 8","phone":"0107"}', 'key_0sc3h8gfpz1', 'job_0sc3hd9nabh', 'req_326cfe33-e7aa-4aa0-98e1-dbf3df24ee99');
INSERT INTO public.history VALUES (892925224062976, 'contact', 892925224062976, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"interrupted9@earlier.example","name":"Interrupted 9","phone":"0108"}', 'key_0sc3h8gfpz1', 'job_0sc3hd9nabh', 'req_d13960f0-201c-4cbc-bdfb-ffd0f45816f3');
INSERT INTO public.history VALUES (892925224697856, 'contact', 892925224697856, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"interrupted10@earlier.example","name":"Interrupted 10","phone":"0109"}', 'key_0sc3h8gfpz1', 'job_0sc3hd9nabh', 'req_fcfb00e1-d2bf-436c-89a5-4bd1848f71a0');
INSERT INTO public.history VALUES (892925234372608, 'contact', 892925234372608, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"cancelled1@earlier.example","name":"Cancelled 1","phone":"0100"}', 'key_0sc3h8gfpz1', 'job_0sc3hdjg52p', 'req_4b6911ea-0bf5-4be8-b074-be1299579935');
INSERT INTO public.history VALUES (892925234372609, 'contact', 892925234372609, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"cancelled2@earlier.example","name":"Cancelled 2","phone":"0101"}', 'key_0sc3h8gfpz1', 'job_0sc3hdjg52p', 'req_40650b29-592b-416c-8683-c258734d4f35');
INSERT INTO public.history VALUES (892925234708480, 'contact', 892925234708480, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"cancelled3@earlier.example","name":"Cancelled 3","phone":"0102"}', 'key_0sc3h8gfpz1', 'job_0sc3hdjg52p', 'req_1dbe5770-8f01-4a1b-a4f7-a506d489c50c');
INSERT INTO public.history VALUES (892925234761728, 'contact', 892925234761728, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"cancelled4@earlier.example","name":"Cancelled 4","phone":"0103"}', 'key_0sc3h8gfpz1', 'job_0sc3hdjg52p', 'req_aeec132b-2a3e-47ba-820f-1298c75ea3b6');
INSERT INTO public.history VALUES (892925234855936, 'contact', 892925234855936, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"cancelled5@earlier.example","name":"Cancelled 5","phone":"0104"}', 'key_0sc3h8gfpz1', 'job_0sc3hdjg52p', 'req_fc666e48-ad7b-4dc0-9597-9fc77d11ae92');
INSERT INTO public.history VALUES (892925235081216, 'contact', 892925235081216, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"cancelled6@earlier.example","name":"Cancelled 6","phone":"0105"}', 'key_0sc3h8gfpz1', 'job_0sc3hdjg52p', 'req_291cf548-4345-4ab0-b35c-583c8594b87d');
INSERT INTO public.history VALUES (892925235302400, 'contact', 892925235302400, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"cancelled7@earlier.example","name":"Cancelled 7","phone":"0106"}', 'key_0sc3h8gfpz1', 'job_0sc3hdjg52p', 'req_d1c2274d-6b80-4502-9eca-a8e6cb2074f3');
INSERT INTO public.history VALUES (892925235507200, 'contact', 892925235507200, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"cancelled8@earlier.example","name":"Cancelled 8","phone":"0107"}', 'key_0sc3h8gfpz1', 'job_0sc3hdjg52p', 'req_660fcaae-b86e-4492-8955-d77cb215cf85');
INSERT INTO public.history VALUES (892925235724288, 'contact', 892925235724288, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"cancelled9@earlier.example","name":"Cancelled 9","phone":"0108"}', 'key_0sc3h8gfpz1', 'job_0sc3hdjg52p', 'req_fe0435e4-874c-43e1-a67f-e0ba8aa0a997');
INSERT INTO public.history VALUES (892925235949568, 'contact', 892925235949568, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"cancelled10@earlier.example","name":"Cancelled 10","phone":"0109"}', 'key_0sc3h8gfpz1', 'job_0sc3hdjg52p', 'req_8942fd89-2b31-41a8-840f-48098fc5331b');
INSERT INTO public.history VALUES (892925236121600, 'contact', 892925236121600, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"cancelled11@earlier.example","name":"Cancelled 11","phone":"0110"}', 'key_0sc3h8gfpz1', 'job_0sc3hdjg52p', 'req_2a80972c-f74b-4605-800b-c45b7dbebb01');
INSERT INTO public.history VALUES (892925236420608, 'contact', 892925236420608, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"cancelled12@earlier.example","name":"Cancelled 12","phone":"0111"}', 'key_0sc3h8gfpz1', 'job_0sc3hdjg52p', 'req_a231dd77-1c5a-45f8-9637-bc925ecdb2dd');
INSERT INTO public.history VALUES (892925236535296, 'contact', 892925236535296, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"cancelled13@earlier.example","name":"Cancelled 13","phone":"0112"}', 'key_0sc3h8gfpz1', 'job_0sc3hdjg52p', 'req_9fbb59d3-18e9-4e63-b6fd-e85b07e62476');
INSERT INTO public.history VALUES (892925236723712, 'contact', 892925236723712, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"cancelled14@earlier.example","name":"Cancelled 14","phone":"0113"}', 'key_0sc3h8gfpz1', 'job_0sc3hdjg52p', 'req_f5157d38-6436-4d6b-bbf5-8bb355393f59');
INSERT INTO public.history VALUES (892925236916224, 'contact', 892925236916224, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"cancelled15@earlier.example","name":"Cancelled 15","phone":"0114"}', 'key_0sc3h8gfpz1', 'job_0sc3hdjg52p', 'req_58474b15-d84a-4e2e-b76f-1a6216bd0112');
INSERT INTO public.history VALUES (892925237121024, 'contact', 892925237121024, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"cancelled16@earlier.example","name":"Cancelled 16","phone":"0115"}', 'key_0sc3h8gfpz1', 'job_0sc3hdjg52p', 'req_fc9ec56d-7c5f-47ed-99f4-422b081ba3fa');
INSERT INTO public.history VALUES (892925257064448, 'note', 892925257064448, 'created', 1, NULL, '["deal_id","body"]', NULL, '{"deal_id":"deal_0sc3h96zg00","body":"Note 1"}', 'key_0sc3h8gfpz1', 'job_0sc3he9s7h8', 'req_ebb023bd-1f49-489c-93d3-1842773090d0');
INSERT INTO public.history VALUES (892925257125888, 'note', 892925257125888, 'created', 1, NULL, '["deal_id","body"]', NULL, '{"deal_id":"deal_0sc3h96zg00","body":"Note 2"}', 'key_0sc3h8gfpz1', 'job_0sc3he9s7h8', 'req_e791718b-639e-43e1-8546-655bd169351e');
INSERT INTO public.history VALUES (892925257179136, 'note', 892925257179136, 'created', 1, NULL, '["deal_id","body"]', NULL, '{"deal_id":"deal_0sc3h96zg00","body":"Note 4"}', 'key_0sc3h8gfpz1', 'job_0sc3he9s7h8', 'req_1708472e-74b8-4ea8-8828-a052a66300ee');
INSERT INTO public.history VALUES (892925257375744, 'note', 892925257375744, 'created', 1, NULL, '["deal_id","body"]', NULL, '{"deal_id":"deal_0sc3h96zg00","body":"Note 6"}', 'key_0sc3h8gfpz1', 'job_0sc3he9s7h8', 'req_a211be1c-dedd-43cb-9aef-4f27def9bc97');
INSERT INTO public.history VALUES (892925266407424, 'contact', 892925266407424, 'created', 1, NULL, '["email","name","phone"]', NULL, '{"email":"merge@earlier.example","name":"Merge A","phone":"1"}', 'key_0sc3h8gfpz1', 'job_0sc3hejs0ka', 'req_b0e2db38-b7eb-4bf9-8dd2-f1cfd67876d6');
INSERT INTO public.history VALUES (892925266436096, 'contact', 892925266436096, 'created', 1, NULL, '["email","name"]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3hejs0ka', 'req_c62e1225-cc83-45ce-8445-78410658b22f');
INSERT INTO public.history VALUES (892925276839936, 'contact', 892925266436096, 'deleted', 1, 1795836132626, '[]', NULL, NULL, 'key_0sc3h8gfpz1', 'job_0sc3hexg2ax', 'req_aa35b577-efbb-47c6-8b19-c7f7100daf62');
INSERT INTO public.history VALUES (892925281275904, 'contact', 892925281275904, 'created', 1, NULL, '["email","name"]', NULL, '{"email":"ada+applied@earlier.example","name":"Ada"}', 'key_0sc3h8gfpz1', 'job_0sc3hf2xxe4', 'req_73b5ccf4-c297-4078-8a58-4d66df5b484a');
INSERT INTO public.history VALUES (892925281337344, 'contact', 892925281337344, 'created', 1, NULL, '["email","name"]', NULL, '{"email":"c0+applied@earlier.example","name":"Crowd 0"}', 'key_0sc3h8gfpz1', 'job_0sc3hf2xxe4', 'req_a0a445b5-8452-417a-ac0a-3a26c594e795');
INSERT INTO public.history VALUES (892925281366016, 'contact', 892925281366016, 'created', 1, NULL, '["email","name"]', NULL, '{"email":"c1+applied@earlier.example","name":"Crowd 1"}', 'key_0sc3h8gfpz1', 'job_0sc3hf2xxe4', 'req_987dd302-efb1-4ccd-9906-b24c58154431');
INSERT INTO public.history VALUES (892925281394688, 'contact', 892925281394688, 'created', 1, NULL, '["email","name"]', NULL, '{"email":"c5+applied@earlier.example","name":"Crowd 5"}', 'key_0sc3h8gfpz1', 'job_0sc3hf2xxe4', 'req_63a0708c-3f26-4287-a019-3dd17a3f19a3');
INSERT INTO public.history VALUES (892925281415168, 'contact', 892925281415168, 'created', 1, NULL, '["email","name"]', NULL, '{"email":"c2+applied@earlier.example","name":"Crowd 2"}', 'key_0sc3h8gfpz1', 'job_0sc3hf2xxe4', 'req_bbaa6c69-3cc9-4273-8b94-f916e93182ef');
INSERT INTO public.history VALUES (892925281415169, 'contact', 892925281415169, 'created', 1, NULL, '["email","name"]', NULL, '{"email":"c3+applied@earlier.example","name":"Crowd 3"}', 'key_0sc3h8gfpz1', 'job_0sc3hf2xxe4', 'req_7eb641fb-4d27-4abc-8b91-6bfee9fafb3b');
INSERT INTO public.history VALUES (892925281415170, 'contact', 892925281415170, 'created', 1, NULL, '["email","name"]', NULL, '{"email":"c4+applied@earlier.example","name":"Crowd 4"}', 'key_0sc3h8gfpz1', 'job_0sc3hf2xxe4', 'req_c28d3c92-f472-4a8f-b44f-7c50ae676378');
INSERT INTO public.history VALUES (892925281492992, 'contact', 892925281492992, 'created', 1, NULL, '["email","name"]', NULL, '{"email":"c6+applied@earlier.example","name":"Crowd 6"}', 'key_0sc3h8gfpz1', 'job_0sc3hf2xxe4', 'req_cae65e0c-860d-4822-b4cc-b3cfcaf56dda');
INSERT INTO public.history VALUES (892925281517568, 'contact', 892925281517568, 'created', 1, NULL, '["email","name"]', NULL, '{"email":"c7+applied@earlier.example","name":"Crowd 7"}', 'key_0sc3h8gfpz1', 'job_0sc3hf2xxe4', 'req_a5978e23-8783-45f1-97c4-f17947ce6485');
INSERT INTO public.history VALUES (892925282414592, 'deal', 892925282414592, 'created', 1, NULL, '["amount","name","stage","pipeline_id"]', NULL, '{"amount":5,"name":"Fixture deal applied","stage":"Lead","pipeline_id":"sales"}', 'key_0sc3h8gfpz1', 'job_0sc3hf3jjfd', 'req_15a8fff9-a2fc-477b-bb5f-f78c18892764');
INSERT INTO public.history VALUES (892925282787328, 'note', 892925282787328, 'created', 1, NULL, '["deal_id","body"]', NULL, '{"deal_id":"deal_0sc3hf49w00","body":"Called"}', 'key_0sc3h8gfpz1', 'job_0sc3hf4e5v6', 'req_d3c0fdae-5d75-444b-83d7-e4d152f92dd1');
INSERT INTO public.history VALUES (892925289877504, 'contact', 892925289877504, 'created', 1, NULL, '["email","name"]', NULL, '{"email":"ada+killed@earlier.example","name":"Ada"}', 'key_0sc3h8gfpz1', 'job_0sc3hfas424', 'req_6a39fc7d-fc33-40e0-b016-569613224202');
INSERT INTO public.history VALUES (892925289963520, 'contact', 892925289963520, 'created', 1, NULL, '["email","name"]', NULL, '{"email":"c0+killed@earlier.example","name":"Crowd 0"}', 'key_0sc3h8gfpz1', 'job_0sc3hfas424', 'req_59a57158-d5f4-4609-85ed-dbbdbbad39b9');
INSERT INTO public.history VALUES (892925290045440, 'contact', 892925290045440, 'created', 1, NULL, '["email","name"]', NULL, '{"email":"c2+killed@earlier.example","name":"Crowd 2"}', 'key_0sc3h8gfpz1', 'job_0sc3hfas424', 'req_dc433704-8ccc-4b22-87dd-08837c255a6f');
INSERT INTO public.history VALUES (892925290049536, 'contact', 892925290049536, 'created', 1, NULL, '["email","name"]', NULL, '{"email":"c4+killed@earlier.example","name":"Crowd 4"}', 'key_0sc3h8gfpz1', 'job_0sc3hfas424', 'req_49fc0573-61b7-43ac-b868-05c3d2e9f71a');
INSERT INTO public.history VALUES (892925290049537, 'contact', 892925290049537, 'created', 1, NULL, '["email","name"]', NULL, '{"email":"c5+killed@earlier.example","name":"Crowd 5"}', 'key_0sc3h8gfpz1', 'job_0sc3hfas424', 'req_49e5a211-9714-4efa-acbb-e1c297a047bc');
INSERT INTO public.history VALUES (892925336145920, 'contact', 892925336145920, 'created', 1, NULL, '["name"]', NULL, '{"name":"Event 1"}', 'key_0sc3h8gfpz1', NULL, 'req_abb0ae5e-d33f-413e-bdca-0577ad90b0ac');
INSERT INTO public.history VALUES (892925338746880, 'contact', 892925338746880, 'created', 1, NULL, '["name"]', NULL, '{"name":"Event 2"}', 'key_0sc3h8gfpz1', NULL, 'req_00058cac-affa-4390-8320-e507c6fe15f0');
INSERT INTO public.history VALUES (892925340774400, 'contact', 892925340774400, 'created', 1, NULL, '["name"]', NULL, '{"name":"Event 3"}', 'key_0sc3h8gfpz1', NULL, 'req_b720d33e-68a7-4e68-b035-53baaaddfa44');


--
-- Data for Name: idempotency; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.idempotency VALUES ('-NIpbl-Su3JgGs--XUWZEerT7sRti8Qt', 1795836136618, 'lRc3ikXVBM-BKtZ5n62K_i2crkyLauQBA9nkzZSZbdw', 201, '/v1/notes/note_0sc3hf4n800', '"1"', '{"id":"note_0sc3hf4n800","deal_id":"deal_0sc3hf49w00","body":"Called","created_at":"2026-11-28T03:22:16.618Z","updated_at":"2026-11-28T03:22:16.618Z","version":1}');
INSERT INTO public.idempotency VALUES ('01a2202c-029e-79bf-a499-1a18c923f95f', 1795836084985, 'Ty24joTHfVCm0SkiDpTuTfMrtKpJgamRqE2q_mCyWdI', 201, '/v1/deals/deal_0sc3h8tz400', '"1"', '{"id":"deal_0sc3h8tz400","name":"Kept deal","stage":"Lead","amount":10,"pipeline_id":"sales","created_at":"2026-11-28T03:21:24.985Z","updated_at":"2026-11-28T03:21:24.985Z","version":1}');
INSERT INTO public.idempotency VALUES ('01a2202c-0544-7cf2-b175-14ec425468bd', 1795836085640, 'WufSWHgTXJiUF_f7c0Vngc79qHWQe95Cehv5eb-Ga3I', 201, '/v1/deals/deal_0sc3h8xh000', '"1"', '{"id":"deal_0sc3h8xh000","name":"Deal 1","stage":"Lead","amount":100,"pipeline_id":"sales","created_at":"2026-11-28T03:21:25.640Z","updated_at":"2026-11-28T03:21:25.640Z","version":1}');
INSERT INTO public.idempotency VALUES ('01a2202c-0806-7f16-89e6-e31fa81ace4a', 1795836086309, 'eAJDumHkLD046xGRRCa771MB2i7A4IZgcerGWIO-NpE', 201, '/v1/deals/deal_0sc3h904m00', '"1"', '{"id":"deal_0sc3h904m00","name":"Deal 2","stage":"Lead","amount":200,"pipeline_id":"sales","created_at":"2026-11-28T03:21:26.309Z","updated_at":"2026-11-28T03:21:26.309Z","version":1}');
INSERT INTO public.idempotency VALUES ('01a2202c-0aca-71da-a125-925591af3756', 1795836087007, 'nY6Q7jsMryC_2ZQuthfa6YTSTtwfvGMxtN99Vo3avrI', 201, '/v1/deals/deal_0sc3h92vw00', '"1"', '{"id":"deal_0sc3h92vw00","name":"Deal 3","stage":"Lead","amount":300,"pipeline_id":"sales","created_at":"2026-11-28T03:21:27.007Z","updated_at":"2026-11-28T03:21:27.007Z","version":1}');
INSERT INTO public.idempotency VALUES ('01a2202c-0c0e-75d0-86c5-3d542d13a0d6', 1795836087331, '0Wj8d_nym5T74qkjoC-fDPlwKbQ2fAbbsGEgTP1vPSc', 201, '/v1/deals/deal_0sc3h944c00', '"1"', '{"id":"deal_0sc3h944c00","name":"Deal 4","stage":"Lead","amount":400,"pipeline_id":"sales","created_at":"2026-11-28T03:21:27.331Z","updated_at":"2026-11-28T03:21:27.331Z","version":1}');
INSERT INTO public.idempotency VALUES ('01a2202c-0d52-723a-beb3-530735bbf439', 1795836087655, 'JaMd6Ij1BjJQvhs5hlJEffm203XqkRHj4ervNvDTru0', 201, '/v1/deals/deal_0sc3h95cw00', '"1"', '{"id":"deal_0sc3h95cw00","name":"Deal 5","stage":"Lead","amount":500,"pipeline_id":"sales","created_at":"2026-11-28T03:21:27.655Z","updated_at":"2026-11-28T03:21:27.655Z","version":1}');
INSERT INTO public.idempotency VALUES ('01a2202c-0ee5-740c-975e-a90459cb157a', 1795836088060, '_n9AmYBGfjX0DCl59s9s-XUTip-Tyrp4b0XjbnqIT4s', 201, '/v1/deals/deal_0sc3h96zg00', '"1"', '{"id":"deal_0sc3h96zg00","name":"Deal 6","stage":"Lead","amount":600,"pipeline_id":"sales","created_at":"2026-11-28T03:21:28.060Z","updated_at":"2026-11-28T03:21:28.060Z","version":1}');
INSERT INTO public.idempotency VALUES ('01a2202c-12b0-7d80-94b5-9c452470a829', 1795836089071, 'RVWFNNJO7L3rWjuIzm-59dk4oDCJbMWjTC0sLde4ReM', 201, '/v1/notes/note_0sc3h9axw00', '"1"', '{"id":"note_0sc3h9axw00","deal_id":"deal_0sc3h96zg00","body":"A note of before","created_at":"2026-11-28T03:21:29.071Z","updated_at":"2026-11-28T03:21:29.071Z","version":1}');
INSERT INTO public.idempotency VALUES ('01a2202c-f457-7bee-acd2-6376e9b138d5', 1795836146912, 'WcE6zXuoKuSrVfEPi7-q8h2Ns4Xp8ClWv57GndgzuLk', 201, '/v1/webhooks/wh_0sc3hgcw000', '"1"', '{"id":"wh_0sc3hgcw000","url":"http://127.0.0.1:4242/","events":["*"],"description":"crm listen","status":"enabled","secret":"whsec_+tmT8TiMG3xEDaI2Mio5DyPZWhVtVlYHJ2c5U4oLR+k=","created_at":"2026-11-28T03:22:26.912Z","updated_at":"2026-11-28T03:22:26.912Z","version":1}');
INSERT INTO public.idempotency VALUES ('01a2202c-ff43-7ea5-873b-fc96377124a1', 1795836149645, 'eweGnNPAmIUc6MI1mXb4Y3JRrYrguXLscWKQe-8SBV4', 201, '/v1/contacts/con_0sc3hgqhm00', '"1"', '{"id":"con_0sc3hgqhm00","name":"Event 1","created_at":"2026-11-28T03:22:29.645Z","updated_at":"2026-11-28T03:22:29.645Z","version":1}');
INSERT INTO public.idempotency VALUES ('01a2202d-01f6-7520-a2d7-756053e24ff5', 1795836150280, 'gom8FveAqmocGAyZGrMVeV9iRWViLDQ64AtStvAUmEk', 201, '/v1/contacts/con_0sc3hgt1000', '"1"', '{"id":"con_0sc3hgt1000","name":"Event 2","created_at":"2026-11-28T03:22:30.280Z","updated_at":"2026-11-28T03:22:30.280Z","version":1}');
INSERT INTO public.idempotency VALUES ('01a2202d-03e1-7310-bf53-0db2e35a64e2', 1795836150775, 'gC2rygCPXGvc1ki9s1T3mTfyX_9mSgX_M5nLLgsugUQ', 201, '/v1/contacts/con_0sc3hgvyw00', '"1"', '{"id":"con_0sc3hgvyw00","name":"Event 3","created_at":"2026-11-28T03:22:30.775Z","updated_at":"2026-11-28T03:22:30.775Z","version":1}');
INSERT INTO public.idempotency VALUES ('01a2202d-0d8b-71a2-a150-05b5af20a91b', 1795836153364, 'Vm9_j5PLMiYi2xC3JPnpQe0GEPiBIoKkKYW-oypCkPM', 201, '/v1/webhooks/wh_0sc3hh62g00', '"1"', '{"id":"wh_0sc3hh62g00","url":"http://127.0.0.1:28422/hook","events":["*"],"status":"enabled","secret":"whsec_xTG02q3ocLW3rHhDYEBrQ2QNoPWJb99fd8MnbYUHHYE=","created_at":"2026-11-28T03:22:33.364Z","updated_at":"2026-11-28T03:22:33.364Z","version":1}');
INSERT INTO public.idempotency VALUES ('05Q0igWgOABw4fjSx2yaUCB-T9cUhUWZ', 1795836136283, 'SLdCb3NPgRkGJQEOhwFzdFF0015Kd4WQKSRnxPvyuw8', 201, '/v1/contacts/con_0sc3hf3bc00', '"1"', '{"id":"con_0sc3hf3bc00","email":"c2+applied@earlier.example","name":"Crowd 2","created_at":"2026-11-28T03:22:16.283Z","updated_at":"2026-11-28T03:22:16.283Z","version":1}');
INSERT INTO public.idempotency VALUES ('14ky_xsiUKLQNBsOrF9XS2aJTU1EDY3m', 1795836109574, '8jUCynsJZwQbsjt-DmZ-9BD9I5UkoCyAbk-Pj5RbD70', 201, '/v1/contacts/con_0sc3hbv0r00', '"1"', '{"id":"con_0sc3hbv0r00","email":"rechecked4@earlier.example","name":"Rechecked 4","phone":"0103","created_at":"2026-11-28T03:21:49.574Z","updated_at":"2026-11-28T03:21:49.574Z","version":1}');
INSERT INTO public.idempotency VALUES ('1PB20TLipEJ8mK2p54YdM7z3Dcyf_vrc', 1795836089717, '-YM4-RnbG4QXzlB8vBf-E9n9xOzY3eziag4Y2RkkY7U', 201, '/v1/contacts/con_0sc3h9dem00', '"1"', '{"id":"con_0sc3h9dem00","email":"done1@earlier.example","name":"Done 1","phone":"0100","created_at":"2026-11-28T03:21:29.717Z","updated_at":"2026-11-28T03:21:29.717Z","version":1}');
INSERT INTO public.idempotency VALUES ('224-nl0L-JX4lFuDlH4ig_k2MMfr2a2e', 1795836084029, 'iEAcVWtm1wFJPmVuDsr-0akoZO8oMpJyvaSUvw7IDj4', 201, '/v1/contacts/con_0sc3h8q7m03', '"1"', '{"id":"con_0sc3h8q7m03","email":"base16@earlier.example","name":"Base 16","phone":"0115","created_at":"2026-11-28T03:21:24.029Z","updated_at":"2026-11-28T03:21:24.029Z","version":1}');
INSERT INTO public.idempotency VALUES ('2QZaUUGF4Ohp3k1Cgw4yyYh-4Xl-66Ch', 1795836106400, 'NOePuc0RrnrhTnb2YrsIaFHnUzGkViNWxb9NrDfvowA', 201, '/v1/contacts/con_0sc3hbem001', '"1"', '{"id":"con_0sc3hbem001","email":"middle14@earlier.example","name":"Middle 14","phone":"0113","created_at":"2026-11-28T03:21:46.400Z","updated_at":"2026-11-28T03:21:46.400Z","version":1}');
INSERT INTO public.idempotency VALUES ('40gTX8HyZM78SqrB7aBgiYv7k0Os3nCF', 1795836132626, '-uwRYBX7O7cnJUschNBQkMmXUUoQKJtILNUmUEhBQrs', 201, '/v1/contacts/con_0sc3hen2800', '"1"', '{"id":"con_0sc3hen2800","email":"merge@earlier.example","name":"Merge B","created_at":"2026-11-28T03:22:12.626Z","updated_at":"2026-11-28T03:22:12.626Z","version":1}');
INSERT INTO public.idempotency VALUES ('4ihs1tHpV4v31bM_4qGoJLCiBJqcoZDX', 1795836124798, '0SAILhbAMKTzWE9CKi6q_QxNJI-C60yvAUBxDZzRi1Q', 201, '/v1/contacts/con_0sc3hdpfr01', '"1"', '{"id":"con_0sc3hdpfr01","email":"cancelled2@earlier.example","name":"Cancelled 2","phone":"0101","created_at":"2026-11-28T03:22:04.798Z","updated_at":"2026-11-28T03:22:04.798Z","version":1}');
INSERT INTO public.idempotency VALUES ('5ZpNg1nuslxtqqNfGZOqV7U4gRRRbAp-', 1795836138390, 'g_WTfWEbZXRAaGHx2urT8QemIW5eOk7SUg9qUUckw-s', 201, '/v1/contacts/con_0sc3hfbjw01', '"1"', '{"id":"con_0sc3hfbjw01","email":"c5+killed@earlier.example","name":"Crowd 5","created_at":"2026-11-28T03:22:18.391Z","updated_at":"2026-11-28T03:22:18.391Z","version":1}');
INSERT INTO public.idempotency VALUES ('5kCZf3X6tTVPY1Ury1XBCS82v8fDz9Vz', 1795836136264, 'ukaFE3F2ICTWiNtJmlJzjVo9KpRpjg8TUe5yGov4KhM', 201, '/v1/contacts/con_0sc3hf39000', '"1"', '{"id":"con_0sc3hf39000","email":"c0+applied@earlier.example","name":"Crowd 0","created_at":"2026-11-28T03:22:16.264Z","updated_at":"2026-11-28T03:22:16.264Z","version":1}');
INSERT INTO public.idempotency VALUES ('5vjCfqlG3IYQMoyAhie7qDWa4YRqIbJJ', 1795836105721, 'HfyME7ulOKFuAy_usVXA-b39rnply4vMvYAtsa0mA4E', 201, '/v1/contacts/con_0sc3hbbz400', '"1"', '{"id":"con_0sc3hbbz400","email":"middle3@earlier.example","name":"Middle 3","phone":"0102","created_at":"2026-11-28T03:21:45.721Z","updated_at":"2026-11-28T03:21:45.721Z","version":1}');
INSERT INTO public.idempotency VALUES ('6CrBknSuqFmflNcigP4w549nD5et4-h5', 1795836084120, 'AGeCxugqSw0kF6nKwGzgFmK1bOzQ-5IWqYQdS6MVlrA', 201, '/v1/contacts/con_0sc3h8qk001', '"1"', '{"id":"con_0sc3h8qk001","email":"base22@earlier.example","name":"Base 22","phone":"0121","created_at":"2026-11-28T03:21:24.120Z","updated_at":"2026-11-28T03:21:24.120Z","version":1}');
INSERT INTO public.idempotency VALUES ('6u3d2bGDdsvv3u7tvmnF_Ezw60uueXzC', 1795836124798, 'PraD3-p1Oanjaa8hS544uASnvjduP40UE9Iw6mytytQ', 201, '/v1/contacts/con_0sc3hdpfr00', '"1"', '{"id":"con_0sc3hdpfr00","email":"cancelled1@earlier.example","name":"Cancelled 1","phone":"0100","created_at":"2026-11-28T03:22:04.798Z","updated_at":"2026-11-28T03:22:04.798Z","version":1}');
INSERT INTO public.idempotency VALUES ('8pck4vycQ_TAwxZP6HVQfIYcvCJxWy3U', 1795836125183, 'X30WL9Rdydkz8pg3AZyKyiexKkUcrAqK051O5krWcGM', 201, '/v1/contacts/con_0sc3hdqzw00', '"1"', '{"id":"con_0sc3hdqzw00","email":"cancelled10@earlier.example","name":"Cancelled 10","phone":"0109","created_at":"2026-11-28T03:22:05.183Z","updated_at":"2026-11-28T03:22:05.183Z","version":1}');
INSERT INTO public.idempotency VALUES ('9Dhp5X1AbKrNcC0OA2TLbPqygXxln3GW', 1795836084240, 'Ace4oULBHXzqfNb6-dRugfxVPo4Tmc1zOA3lkzIaI1o', 201, '/v1/contacts/con_0sc3h8r2002', '"1"', '{"id":"con_0sc3h8r2002","email":"base25@earlier.example","name":"Base 25","phone":"0124","created_at":"2026-11-28T03:21:24.240Z","updated_at":"2026-11-28T03:21:24.240Z","version":1}');
INSERT INTO public.idempotency VALUES ('9a3JItc2tjYkK0e5Emdo-RLT2J3eSTAQ', 1795836136271, 'wsNqn01tqhf1wM-2H30rkX_1_NZ4mIiGvhJ-DJ0xQFo', 201, '/v1/contacts/con_0sc3hf39w00', '"1"', '{"id":"con_0sc3hf39w00","email":"c1+applied@earlier.example","name":"Crowd 1","created_at":"2026-11-28T03:22:16.271Z","updated_at":"2026-11-28T03:22:16.271Z","version":1}');
INSERT INTO public.idempotency VALUES ('9wch6_PG5qPuVSnG_8kEqxRZVT25rwK1', 1795836130366, 'Ga637fvNgMylCK-h_7UR-uuN0BwUeBik1Ur7aRdnDq0', 201, '/v1/notes/note_0sc3hec7r00', '"1"', '{"id":"note_0sc3hec7r00","deal_id":"deal_0sc3h96zg00","body":"Note 4","created_at":"2026-11-28T03:22:10.366Z","updated_at":"2026-11-28T03:22:10.366Z","version":1}');
INSERT INTO public.idempotency VALUES ('AIqqBcdDEActtqvdGlvXji-xz-jECsFt', 1795836125469, 'lTfmU3HBr3QHBz_MNVrNmdBujsKcBNvG_heJ0Dv-Noo', 201, '/v1/contacts/con_0sc3hds3m00', '"1"', '{"id":"con_0sc3hds3m00","email":"cancelled16@earlier.example","name":"Cancelled 16","phone":"0115","created_at":"2026-11-28T03:22:05.469Z","updated_at":"2026-11-28T03:22:05.469Z","version":1}');
INSERT INTO public.idempotency VALUES ('AYMhYNdGs_-E1S012BxQv4n616H3n-7F', 1795836125298, 'TEHWFGYLupWz1LZgd8UtQ0Tt_v5Jn6efSqqyOHkCxls', 201, '/v1/contacts/con_0sc3hdre800', '"1"', '{"id":"con_0sc3hdre800","email":"cancelled12@earlier.example","name":"Cancelled 12","phone":"0111","created_at":"2026-11-28T03:22:05.298Z","updated_at":"2026-11-28T03:22:05.298Z","version":1}');
INSERT INTO public.idempotency VALUES ('AbAAtPLUuIq8lsb9xuM9JnIkbTPJQQIS', 1795836084063, 'N38naiNjqTemgtGPL5i--JyVJQ0tyZuHLstz5VA-tSo', 201, '/v1/contacts/con_0sc3h8qbw00', '"1"', '{"id":"con_0sc3h8qbw00","email":"base17@earlier.example","name":"Base 17","phone":"0116","created_at":"2026-11-28T03:21:24.063Z","updated_at":"2026-11-28T03:21:24.063Z","version":1}');
INSERT INTO public.idempotency VALUES ('Ay5s7rvme-9QB2hWN7SiqDs_uoi3V26w', 1795836122059, 'O2lEm5qlOUxySaxRzmYWBAE4rlxafSdtyT8rN49s6Cw', 201, '/v1/contacts/con_0sc3hdbsc00', '"1"', '{"id":"con_0sc3hdbsc00","email":"interrupted1@earlier.example","name":"Interrupted 1","phone":"0100","created_at":"2026-11-28T03:22:02.059Z","updated_at":"2026-11-28T03:22:02.059Z","version":1}');
INSERT INTO public.idempotency VALUES ('BHbT63MduhGEkSrKp1PpqR9t0doHy5-9', 1795836116259, 'lu-E6AHLXbipGH66mpo3wh97Dt4AFaNpa2sMkHCYp-c', 200, NULL, '"2"', '{"id":"deal_0sc3h96zg00","name":"Deal 6","stage":"Qualified","amount":600,"pipeline_id":"sales","created_at":"2026-11-28T03:21:28.060Z","updated_at":"2026-11-28T03:21:56.259Z","version":2}');
INSERT INTO public.idempotency VALUES ('BJlUMR_tkODjpXlqmTW-fMjRH6uYPR_e', 1795836106400, 'gYgutB6UkMYdquv32xcwcs9SFw7CEpqqvP2rpy4kF9g', 201, '/v1/contacts/con_0sc3hbem000', '"1"', '{"id":"con_0sc3hbem000","email":"middle13@earlier.example","name":"Middle 13","phone":"0112","created_at":"2026-11-28T03:21:46.400Z","updated_at":"2026-11-28T03:21:46.400Z","version":1}');
INSERT INTO public.idempotency VALUES ('BqdGI1sxRWRsIrtoqxiNlf3d4tQzM61a', 1795836124916, 'Rqp7cs3yy7k0LsbIEGuC9wYrcEeoaUa8dCAAAIzVeRU', 201, '/v1/contacts/con_0sc3hdpyg00', '"1"', '{"id":"con_0sc3hdpyg00","email":"cancelled5@earlier.example","name":"Cancelled 5","phone":"0104","created_at":"2026-11-28T03:22:04.916Z","updated_at":"2026-11-28T03:22:04.916Z","version":1}');
INSERT INTO public.idempotency VALUES ('C1xgmIT5uelJOGYeZ4DpfIjKs5nVwJay', 1795836136527, 'lR_so64HJEiltda4p2hbueZ1swpjeKO0Huq-SgB4k-s', 201, '/v1/deals/deal_0sc3hf49w00', '"1"', '{"id":"deal_0sc3hf49w00","amount":5,"name":"Fixture deal applied","stage":"Lead","pipeline_id":"sales","created_at":"2026-11-28T03:22:16.527Z","updated_at":"2026-11-28T03:22:16.527Z","version":1}');
INSERT INTO public.idempotency VALUES ('CCyJjidcwzL87Y7h8UXVA99ur066w5X6', 1795836118332, 'YSRwUpKAqN-8c-kFbBbLCZIyBczlXTgJlOMdKFVgCvA', 201, '/v1/contacts/con_0sc3hcx7g00', '"1"', '{"id":"con_0sc3hcx7g00","email":"undo2@earlier.example","name":"Undo 2","phone":"0101","created_at":"2026-11-28T03:21:58.332Z","updated_at":"2026-11-28T03:21:58.332Z","version":1}');
INSERT INTO public.idempotency VALUES ('CgEs0ewrmCYrUcXwBnXQ5A0ds3Dmvd10', 1795836084120, 'qEn7paqz7cm9PiF90n8yqEn9rcphDM4MvGQ4M-i18H4', 201, '/v1/contacts/con_0sc3h8qk000', '"1"', '{"id":"con_0sc3h8qk000","email":"base21@earlier.example","name":"Base 21","phone":"0120","created_at":"2026-11-28T03:21:24.120Z","updated_at":"2026-11-28T03:21:24.120Z","version":1}');
INSERT INTO public.idempotency VALUES ('Cr0y9xHQMbRZHkqse8ub9oi_hPNAfdSz', 1795836122074, 'JjHJdurh3lkTU6XwlpYq0wxzbiDX3KF14R242I_kFVs', 201, '/v1/contacts/con_0sc3hdbv800', '"1"', '{"id":"con_0sc3hdbv800","email":"interrupted2@earlier.example","name":"Interrupted 2","phone":"0101","created_at":"2026-11-28T03:22:02.074Z","updated_at":"2026-11-28T03:22:02.074Z","version":1}');
INSERT INTO public.idempotency VALUES ('DKhsGqrquuBRjOXPpx2vNaB4Ya0-Glj9', 1795836103866, 'MjIlRQ8qa25pRWJF6znWwowQ2YADOJ9zeFMZF3J2Lik', 201, '/v1/contacts/con_0sc3hb4q800', '"1"', '{"id":"con_0sc3hb4q800","email":"sent1@earlier.example","name":"Sent 1","phone":"0100","created_at":"2026-11-28T03:21:43.866Z","updated_at":"2026-11-28T03:21:43.866Z","version":1}');
INSERT INTO public.idempotency VALUES ('E0zhe3dI7E9ople4EihsEqa8mOxqrvX1', 1795836103890, 'boZuW7g1fVFTKBzCkgRrpJLAR18uZfDL41sNOIIlfbg', 201, '/v1/contacts/con_0sc3hb4t800', '"1"', '{"id":"con_0sc3hb4t800","email":"sent3@earlier.example","name":"Sent 3","phone":"0102","created_at":"2026-11-28T03:21:43.890Z","updated_at":"2026-11-28T03:21:43.890Z","version":1}');
INSERT INTO public.idempotency VALUES ('EcrJRdNPV4AkmNuNNfRA_rXI-8YN1do9', 1795836138390, 'q7V_zx7o4c9Qah0or0S3fsS9tf1w9JH42yg-gu4SFMk', 201, '/v1/contacts/con_0sc3hfbjw00', '"1"', '{"id":"con_0sc3hfbjw00","email":"c4+killed@earlier.example","name":"Crowd 4","created_at":"2026-11-28T03:22:18.391Z","updated_at":"2026-11-28T03:22:18.391Z","version":1}');
INSERT INTO public.idempotency VALUES ('FhW146TUSZ4t0FHah6IwXL5uwHcKYLOO', 1795836084240, 'FIPUgwHTAPB-Iz9sGDumq5W6sY1RTuL-u-DXrQ0ChaQ', 201, '/v1/contacts/con_0sc3h8r2006', '"1"', '{"id":"con_0sc3h8r2006","email":"base29@earlier.example","name":"Base 29","phone":"0128","created_at":"2026-11-28T03:21:24.240Z","updated_at":"2026-11-28T03:21:24.240Z","version":1}');
INSERT INTO public.idempotency VALUES ('G3BOu73wQe7tbcdQESg6PooIP27bD8t2', 1795836105649, 'zgNnXGZqjsspn-JBRfGp6ik5MR-m7TP9jkqpnRrbDDY', 201, '/v1/contacts/con_0sc3hbbp400', '"1"', '{"id":"con_0sc3hbbp400","email":"middle1@earlier.example","name":"Middle 1","phone":"0100","created_at":"2026-11-28T03:21:45.649Z","updated_at":"2026-11-28T03:21:45.649Z","version":1}');
INSERT INTO public.idempotency VALUES ('GZwVG7fcY8ta5ptpkumkF_meDmo7RwTu', 1795836083948, '2iv8LThUuX4c0CgYwVs8xfgJr4zc3lnfBdwjsO63obY', 201, '/v1/contacts/con_0sc3h8pxm00', '"1"', '{"id":"con_0sc3h8pxm00","email":"base7@earlier.example","name":"Base 7","phone":"0106","created_at":"2026-11-28T03:21:23.949Z","updated_at":"2026-11-28T03:21:23.949Z","version":1}');
INSERT INTO public.idempotency VALUES ('HAAJE0SORPh_WvQxTZK-1kQ2JdhdNkQ3', 1795836106400, 'zdZg75iuLR-wUt1H0_mDEPl_b8kJ_0yZJkJ9JM2YSNI', 201, '/v1/contacts/con_0sc3hbem002', '"1"', '{"id":"con_0sc3hbem002","email":"middle15@earlier.example","name":"Middle 15","phone":"0114","created_at":"2026-11-28T03:21:46.400Z","updated_at":"2026-11-28T03:21:46.400Z","version":1}');
INSERT INTO public.idempotency VALUES ('HCPAuFe0dwPiDb8ZUobXklx98FxJ7rWR', 1795836084240, 'eJNXkamK4lF3626xhO9S0WfrHgce2j9QviIjcBx8H6M', 201, '/v1/contacts/con_0sc3h8r2005', '"1"', '{"id":"con_0sc3h8r2005","email":"base28@earlier.example","name":"Base 28","phone":"0127","created_at":"2026-11-28T03:21:24.240Z","updated_at":"2026-11-28T03:21:24.240Z","version":1}');
INSERT INTO public.idempotency VALUES ('HdncdLQiAJYjg6FG9702LjNY3gEKAmpG', 1795836122436, 'rjpy1iVhAdT9Oel_zeH6e6kvSR9OSDnFbeDAwl7vRkg', 201, '/v1/contacts/con_0sc3hdd8g00', '"1"', '{"id":"con_0sc3hdd8g00","email":"interrupted10@earlier.example","name":"Interrupted 10","phone":"0109","created_at":"2026-11-28T03:22:02.436Z","updated_at":"2026-11-28T03:22:02.436Z","version":1}');
INSERT INTO public.idempotency VALUES ('Hgqij8tGyIhXNb0vorEXq2Fbn_V1yVsK', 1795836138370, 'jDykql4MrCCuIzKYyMBEStgNQOmZF3zo21Ifp2aL8Y0', 201, '/v1/contacts/con_0sc3hfbg800', '"1"', '{"id":"con_0sc3hfbg800","email":"c0+killed@earlier.example","name":"Crowd 0","created_at":"2026-11-28T03:22:18.370Z","updated_at":"2026-11-28T03:22:18.370Z","version":1}');
INSERT INTO public.idempotency VALUES ('HvtnYZQJDbp3TP-9G8QqFVWju5bFzQkB', 1795836109543, 'oR7WLjNeG1CHzawZ9Z5IlN6ZJWSaNPdjy6OwDtRGG20', 201, '/v1/contacts/con_0sc3hbtww00', '"1"', '{"id":"con_0sc3hbtww00","email":"rechecked2@earlier.example","name":"Rechecked 2","phone":"0101","created_at":"2026-11-28T03:21:49.543Z","updated_at":"2026-11-28T03:21:49.543Z","version":1}');
INSERT INTO public.idempotency VALUES ('I8fK3Ud6yPKofY-S8TXCcLk_pe2b2v8n', 1795836122187, 'ndH83S0RZUx6VAON5a8Y1cVPmsOtqME0KFdrUKHInNg', 201, '/v1/contacts/con_0sc3hdc9c00', '"1"', '{"id":"con_0sc3hdc9c00","email":"interrupted7@earlier.example","name":"Interrupted 7","phone":"0106","created_at":"2026-11-28T03:22:02.187Z","updated_at":"2026-11-28T03:22:02.187Z","version":1}');
INSERT INTO public.idempotency VALUES ('ImUP2MfdoA3ssdFFVZpFBx0M_Ub6X0UZ', 1795836089735, 'E5p5p_O4a6o4XFB-wwF7IfrbyVdc2_LdNiv51UunI6g', 201, '/v1/contacts/con_0sc3h9dgw01', '"1"', '{"id":"con_0sc3h9dgw01","email":"done4@earlier.example","name":"Done 4","phone":"0103","created_at":"2026-11-28T03:21:29.735Z","updated_at":"2026-11-28T03:21:29.735Z","version":1}');
INSERT INTO public.idempotency VALUES ('JPIpm1y_WxOuziyoIhPDnWfrR7r9PnK6', 1795836122280, 'Dic3gM4FJ4aZcuGF2SxOU9tFAbazkN4rkYRwzhI6p2I', 201, '/v1/contacts/con_0sc3hdcn000', '"1"', '{"id":"con_0sc3hdcn000","email":"interrupted8@earlier.example","name":"Interrupted 8","phone":"0107","created_at":"2026-11-28T03:22:02.280Z","updated_at":"2026-11-28T03:22:02.280Z","version":1}');
INSERT INTO public.idempotency VALUES ('Jfz4e8g-wIIt8mbthufr1glCxjbmR9uG', 1795836132619, '95nWf6m8lzR1i-pUspge7QK_S1tO6Zi2BLPVBDeEkTQ', 201, '/v1/contacts/con_0sc3hen1c00', '"1"', '{"id":"con_0sc3hen1c00","email":"merge@earlier.example","name":"Merge A","phone":"1","created_at":"2026-11-28T03:22:12.619Z","updated_at":"2026-11-28T03:22:12.619Z","version":1}');
INSERT INTO public.idempotency VALUES ('JgE1gvGhgpNZvyRxsgXUvcgUG0YW-zyE', 1795836103881, 'gfle2QDNYhZ21lJnfUsKHZT4FbhJSnwIJgNGhep5gKk', 201, '/v1/contacts/con_0sc3hb4s400', '"1"', '{"id":"con_0sc3hb4s400","email":"sent2@earlier.example","name":"Sent 2","phone":"0101","created_at":"2026-11-28T03:21:43.881Z","updated_at":"2026-11-28T03:21:43.881Z","version":1}');
INSERT INTO public.idempotency VALUES ('KhVhho3oXqlIr3ciAsKE7lUT4lNPpTr1', 1795836136307, 'tGFSufrmf8mqAepUwPyLg1PPUjrPRn8qJ7WZqtJ9fPU', 201, '/v1/contacts/con_0sc3hf3eg00', '"1"', '{"id":"con_0sc3hf3eg00","email":"c7+applied@earlier.example","name":"Crowd 7","created_at":"2026-11-28T03:22:16.308Z","updated_at":"2026-11-28T03:22:16.308Z","version":1}');
INSERT INTO public.idempotency VALUES ('KuPCVKbE1GQAdFqJ8vmLGuOWew69eV2O', 1795836084029, 'Fa8_M0O13xrzZG_Cl6dcpafxmM6uXeOW9IXw-5Smi5I', 201, '/v1/contacts/con_0sc3h8q7m00', '"1"', '{"id":"con_0sc3h8q7m00","email":"base13@earlier.example","name":"Base 13","phone":"0112","created_at":"2026-11-28T03:21:24.029Z","updated_at":"2026-11-28T03:21:24.029Z","version":1}');
INSERT INTO public.idempotency VALUES ('MPvVuM8qQCXy0dOif81-j7eoub-k0UUb', 1795836122280, '3i-SGtZhOnCYMj0gFYK4_BVZ1EdKKYseDevkfgzRETQ', 201, '/v1/contacts/con_0sc3hdcn400', '"1"', '{"id":"con_0sc3hdcn400","email":"interrupted9@earlier.example","name":"Interrupted 9","phone":"0108","created_at":"2026-11-28T03:22:02.281Z","updated_at":"2026-11-28T03:22:02.281Z","version":1}');
INSERT INTO public.idempotency VALUES ('N9fgrhk2gGASYCMtTQ2ew15qm-c_BsuQ', 1795836124893, '2XKipfAgTyDQCOecoY8YVaQj80o0xSBTRipzqDgC4H8', 201, '/v1/contacts/con_0sc3hdpvm00', '"1"', '{"id":"con_0sc3hdpvm00","email":"cancelled4@earlier.example","name":"Cancelled 4","phone":"0103","created_at":"2026-11-28T03:22:04.893Z","updated_at":"2026-11-28T03:22:04.893Z","version":1}');
INSERT INTO public.idempotency VALUES ('Nr5XgeARroSd5S2-kBS6-0cvMXK3IKzt', 1795836125075, 'W61OtF-UEk1ZTl61s-vmvcA6Xf3XKQroG5wj_5_BWyM', 201, '/v1/contacts/con_0sc3hdqjc00', '"1"', '{"id":"con_0sc3hdqjc00","email":"cancelled8@earlier.example","name":"Cancelled 8","phone":"0107","created_at":"2026-11-28T03:22:05.075Z","updated_at":"2026-11-28T03:22:05.075Z","version":1}');
INSERT INTO public.idempotency VALUES ('O--BYZkU_G9vSREQcCGMUA1LzYdDG_8Q', 1795836084089, 'T74gf2BoEGxvde6NCHe4QqOJwUH3I06Xh-AVJFHK2OQ', 201, '/v1/contacts/con_0sc3h8qh401', '"1"', '{"id":"con_0sc3h8qh401","email":"base19@earlier.example","name":"Base 19","phone":"0118","created_at":"2026-11-28T03:21:24.105Z","updated_at":"2026-11-28T03:21:24.105Z","version":1}');
INSERT INTO public.idempotency VALUES ('Ow6i6QJLIbILFIFTYhJVGt_6xswWLODo', 1795836106513, 'P8Es_C4ZRnURTz1v13_wWo4u2KChiPip6zXQVkE_Wac', 201, '/v1/contacts/con_0sc3hbf2400', '"1"', '{"id":"con_0sc3hbf2400","email":"middle19@earlier.example","name":"Middle 19","phone":"0118","created_at":"2026-11-28T03:21:46.513Z","updated_at":"2026-11-28T03:21:46.513Z","version":1}');
INSERT INTO public.idempotency VALUES ('PHgRys9EuDVqVut4NRivnGdL6dvq-tsN', 1795836084240, 'taetpjkOrR80wXekjQ0XTm4JgLCUP7cHtBaOK0nxD3A', 201, '/v1/contacts/con_0sc3h8r2001', '"1"', '{"id":"con_0sc3h8r2001","email":"base24@earlier.example","name":"Base 24","phone":"0123","created_at":"2026-11-28T03:21:24.240Z","updated_at":"2026-11-28T03:21:24.240Z","version":1}');
INSERT INTO public.idempotency VALUES ('PP7FYkBVF-saQGtJQrJJdaHbtSYdsXJ7', 1795836106243, 'Pf7WEQANSBpBz6GxxMzo0fdi712qqm6Da7LWdnZOGis', 201, '/v1/contacts/con_0sc3hbe0c00', '"1"', '{"id":"con_0sc3hbe0c00","email":"middle12@earlier.example","name":"Middle 12","phone":"0111","created_at":"2026-11-28T03:21:46.243Z","updated_at":"2026-11-28T03:21:46.243Z","version":1}');
INSERT INTO public.idempotency VALUES ('PTrd6tXBz-bmXgvhQAAVL5E19zY3NzkB', 1795836103894, '0v0_dY8LqbDKS8RM3Jr0L09niryy7zlRcPlNjbinvO8', 201, '/v1/contacts/con_0sc3hb4tr00', '"1"', '{"id":"con_0sc3hb4tr00","email":"sent4@earlier.example","name":"Sent 4","phone":"0103","created_at":"2026-11-28T03:21:43.894Z","updated_at":"2026-11-28T03:21:43.894Z","version":1}');
INSERT INTO public.idempotency VALUES ('Pm-YTugjpCTCoIJX9ClQ3d00qigxGGxb', 1795836122074, 'ay0uDIo5U5hYXB5gDC-bkjXALH8OYPc7vuoitoIFxlI', 201, '/v1/contacts/con_0sc3hdbv801', '"1"', '{"id":"con_0sc3hdbv801","email":"interrupted3@earlier.example","name":"Interrupted 3","phone":"0102","created_at":"2026-11-28T03:22:02.074Z","updated_at":"2026-11-28T03:22:02.074Z","version":1}');
INSERT INTO public.idempotency VALUES ('QzklOI2GcBQI4iZhqEhxiqgTZVmX9sYt', 1795836083930, '4kMC3pTxjxtwbSLnlaA7AekRCwuJpumt9JdtRgj-0g0', 201, '/v1/contacts/con_0sc3h8pv800', '"1"', '{"id":"con_0sc3h8pv800","email":"base2@earlier.example","name":"Base 2","phone":"0101","created_at":"2026-11-28T03:21:23.930Z","updated_at":"2026-11-28T03:21:23.930Z","version":1}');
INSERT INTO public.idempotency VALUES ('RpBVhh9AAhaQHOqxBM8HUMRaM1LfTc1E', 1795836136278, 'WVxSr9M3lT-MYwkt8-xu9Oc6IEVcGUg8k7elrc6ykqM', 201, '/v1/contacts/con_0sc3hf3ar00', '"1"', '{"id":"con_0sc3hf3ar00","email":"c5+applied@earlier.example","name":"Crowd 5","created_at":"2026-11-28T03:22:16.278Z","updated_at":"2026-11-28T03:22:16.278Z","version":1}');
INSERT INTO public.idempotency VALUES ('S3HHN4-NKEuPuYTIJaqXERVP4swWI8Cf', 1795836083948, 'WYZ0DTCGHtG7GmuY9QZ4axHOHe1qLCTz5tB4BzSROCI', 201, '/v1/contacts/con_0sc3h8pxg01', '"1"', '{"id":"con_0sc3h8pxg01","email":"base4@earlier.example","name":"Base 4","phone":"0103","created_at":"2026-11-28T03:21:23.948Z","updated_at":"2026-11-28T03:21:23.948Z","version":1}');
INSERT INTO public.idempotency VALUES ('S5rZcCkY_g3Db4RoMaP-0hsj31i-VmoT', 1795836083948, 'vJavvoE0yUqZ3uqZTzn-nY2Zt-TXNYuq1O0ScIxov_o', 201, '/v1/contacts/con_0sc3h8pxg00', '"1"', '{"id":"con_0sc3h8pxg00","email":"base3@earlier.example","name":"Base 3","phone":"0102","created_at":"2026-11-28T03:21:23.948Z","updated_at":"2026-11-28T03:21:23.948Z","version":1}');
INSERT INTO public.idempotency VALUES ('S85wOxMWkahLWJT5T5ls6jpPcGm7iayu', 1795836084240, 'iUX0xDTVWOte-1Tupfq-LHKiwTRn064UGQBHLElndPU', 201, '/v1/contacts/con_0sc3h8r2000', '"1"', '{"id":"con_0sc3h8r2000","email":"base23@earlier.example","name":"Base 23","phone":"0122","created_at":"2026-11-28T03:21:24.240Z","updated_at":"2026-11-28T03:21:24.240Z","version":1}');
INSERT INTO public.idempotency VALUES ('SP6lW6nLa6NpHGw3pPICyQl9zsresoQS', 1795836125419, 'QDSTbRUPJ3bwTHmX1-ydMeoCPHcnr8A1g1XfmemY748', 201, '/v1/contacts/con_0sc3hdrxc00', '"1"', '{"id":"con_0sc3hdrxc00","email":"cancelled15@earlier.example","name":"Cancelled 15","phone":"0114","created_at":"2026-11-28T03:22:05.419Z","updated_at":"2026-11-28T03:22:05.419Z","version":1}');
INSERT INTO public.idempotency VALUES ('SRxsYT3AbziJ4_gZ3jankA4D-W5IS31E', 1795836090850, 'eft9KME3XXkKtefixALR8kI8k_LrKMkwOrrpNh9SI3A', 201, '/v1/contacts/con_0sc3h9hw800', '"1"', '{"id":"con_0sc3h9hw800","email":"good@earlier.example","name":"Good row","note":"n","created_at":"2026-11-28T03:21:30.850Z","updated_at":"2026-11-28T03:21:30.850Z","version":1}');
INSERT INTO public.idempotency VALUES ('SrmNi_wVcMVUrqu55r5A6WrU12E43pqK', 1795836105774, 'MZBrR-0iOgZMbwgRIqZLGguAZ8kIg0I5Coa9ad5ZsHQ', 201, '/v1/contacts/con_0sc3hbc5r00', '"1"', '{"id":"con_0sc3hbc5r00","email":"middle4@earlier.example","name":"Middle 4","phone":"0103","created_at":"2026-11-28T03:21:45.774Z","updated_at":"2026-11-28T03:21:45.774Z","version":1}');
INSERT INTO public.idempotency VALUES ('TE4QKS0yp0hOYvOt8gZ3EmjgsvzOma_6', 1795836130338, 'Z7HBtBUHGTUzdMQ3Tuj57W6XG9lpNtmQWVt29st90ec', 201, '/v1/notes/note_0sc3hec4800', '"1"', '{"id":"note_0sc3hec4800","deal_id":"deal_0sc3h96zg00","body":"Note 1","created_at":"2026-11-28T03:22:10.338Z","updated_at":"2026-11-28T03:22:10.338Z","version":1}');
INSERT INTO public.idempotency VALUES ('TYMUS5TI9eBE3rKCHy_8Do-SAQnFbbhL', 1795836109543, 'dwZb27zXar8JaLJC4pP_L-dtG4lENsKNOdANREhcJuM', 201, '/v1/contacts/con_0sc3hbtww01', '"1"', '{"id":"con_0sc3hbtww01","email":"rechecked3@earlier.example","name":"Rechecked 3","phone":"0102","created_at":"2026-11-28T03:21:49.543Z","updated_at":"2026-11-28T03:21:49.543Z","version":1}');
INSERT INTO public.idempotency VALUES ('U-0guo0ymQKtLnnshoN5H3tI9L1ZVge0', 1795836106756, 'bcg4LAhk-IRCvmjCpB-h8ccwOvAfuhwsDZVgisqU0gg', 201, '/v1/contacts/con_0sc3hbg0g00', '"1"', '{"id":"con_0sc3hbg0g00","email":"middle24@earlier.example","name":"Middle 24","phone":"0123","created_at":"2026-11-28T03:21:46.756Z","updated_at":"2026-11-28T03:21:46.756Z","version":1}');
INSERT INTO public.idempotency VALUES ('UMYeik75LnnGx5uKybH-iJx7RNfiqMjT', 1795836106400, 'O_0Q-4gTX8iZ9hKqbWTxvkaQau1npgnmALaIWO32Z-I', 201, '/v1/contacts/con_0sc3hbem003', '"1"', '{"id":"con_0sc3hbem003","email":"middle16@earlier.example","name":"Middle 16","phone":"0115","created_at":"2026-11-28T03:21:46.400Z","updated_at":"2026-11-28T03:21:46.400Z","version":1}');
INSERT INTO public.idempotency VALUES ('Uk1_3PsYOdKDsdE7FfNr7fTMO5IoLZoV', 1795836111510, 'GoAktazUruoZLAMeVvumAFVlUUMQxgqrCcuQk2MfPag', 200, NULL, '"2"', '{"id":"con_0sc3h8qh401","email":"base19@earlier.example","name":"Base 19","phone":"0999","created_at":"2026-11-28T03:21:24.105Z","updated_at":"2026-11-28T03:21:51.510Z","version":2}');
INSERT INTO public.idempotency VALUES ('VFw3nsa8Ard9o-Qzhh0gR75iELTlp4kb', 1795836118434, 'sPVDqKkcwy7LKoJDceGj2t8AuzHs3mrIw0T3sbF57wE', 201, '/v1/contacts/con_0sc3hcxm800', '"1"', '{"id":"con_0sc3hcxm800","email":"undo4@earlier.example","name":"Undo 4","phone":"0103","created_at":"2026-11-28T03:21:58.434Z","updated_at":"2026-11-28T03:21:58.434Z","version":1}');
INSERT INTO public.idempotency VALUES ('V_wEE6fHgjQYOBeMl7OTkrBVukVTIPl2', 1795836116402, 'U6iyu0GShSF4QPpg3UdujFKhm8vG-0ohh7B9HKVLDy8', 200, NULL, '"2"', '{"id":"deal_0sc3h92vw00","name":"Deal 3","stage":"Qualified","amount":300,"pipeline_id":"sales","created_at":"2026-11-28T03:21:27.007Z","updated_at":"2026-11-28T03:21:56.402Z","version":2}');
INSERT INTO public.idempotency VALUES ('VmO1bQxhTmM8T0o_3MqXpM1GdYmUeKG1', 1795836084029, 'KecnYa6cS1riqREEo0FjtkFpau_9mpsXXcSCDg8cJIA', 201, '/v1/contacts/con_0sc3h8q7m01', '"1"', '{"id":"con_0sc3h8q7m01","email":"base14@earlier.example","name":"Base 14","phone":"0113","created_at":"2026-11-28T03:21:24.029Z","updated_at":"2026-11-28T03:21:24.029Z","version":1}');
INSERT INTO public.idempotency VALUES ('WNaecfvcsTfz-X50vk9BulvGhWhiqNHD', 1795836084089, 'SHuOmhOhkJzo--DsvMKnVwDqqCk-VrBzaGEKw5Pw4Hg', 201, '/v1/contacts/con_0sc3h8qh400', '"1"', '{"id":"con_0sc3h8qh400","email":"base18@earlier.example","name":"Base 18","phone":"0117","created_at":"2026-11-28T03:21:24.105Z","updated_at":"2026-11-28T03:21:24.105Z","version":1}');
INSERT INTO public.idempotency VALUES ('Wftttaw0_Cx_MVsgbVTrytSkZK4nlsw1', 1795836083948, 'Kx5AvptM7PwscyD0Vv3vp5eu5sSx17MO7rxDPnVEoyI', 201, '/v1/contacts/con_0sc3h8pxg02', '"1"', '{"id":"con_0sc3h8pxg02","email":"base5@earlier.example","name":"Base 5","phone":"0104","created_at":"2026-11-28T03:21:23.948Z","updated_at":"2026-11-28T03:21:23.948Z","version":1}');
INSERT INTO public.idempotency VALUES ('XXZRLcvZju258DHImXTiOPjc7d-tZ0rb', 1795836105825, 'gJKysU9RJCW2L4_9S6QB4nlcLLa03Q-rMORNDrPIQfg', 201, '/v1/contacts/con_0sc3hbcc400', '"1"', '{"id":"con_0sc3hbcc400","email":"middle5@earlier.example","name":"Middle 5","phone":"0104","created_at":"2026-11-28T03:21:45.825Z","updated_at":"2026-11-28T03:21:45.825Z","version":1}');
INSERT INTO public.idempotency VALUES ('Z7alQwxrrWdN2FQ18Qz2Zbk95KY6HUcR', 1795836106087, 'S2AGPGeZN-GIJISpG_AFVQF3b5YLEKPytgG4WDDjEKc', 201, '/v1/contacts/con_0sc3hbdcw00', '"1"', '{"id":"con_0sc3hbdcw00","email":"middle10@earlier.example","name":"Middle 10","phone":"0109","created_at":"2026-11-28T03:21:46.087Z","updated_at":"2026-11-28T03:21:46.087Z","version":1}');
INSERT INTO public.idempotency VALUES ('ZQGjZI80mwYVfomvzf173h6TZ3rQ9z2D', 1795836118494, 'AJyxDXqOrUVxaItqsEYuPZYAop_wfuA7gpnEXmgxwLk', 201, '/v1/contacts/con_0sc3hcxvr00', '"1"', '{"id":"con_0sc3hcxvr00","email":"undo5@earlier.example","name":"Undo 5","phone":"0104","created_at":"2026-11-28T03:21:58.494Z","updated_at":"2026-11-28T03:21:58.494Z","version":1}');
INSERT INTO public.idempotency VALUES ('Zbo0NuzNw2gRlkVyAc-B5w6Nencu1QsL', 1795836136249, 't6C0F1XuJpI37cUDcmfH3f5_JLDl9wcWchcS86bXPZY', 201, '/v1/contacts/con_0sc3hf37400', '"1"', '{"id":"con_0sc3hf37400","email":"ada+applied@earlier.example","name":"Ada","created_at":"2026-11-28T03:22:16.249Z","updated_at":"2026-11-28T03:22:16.249Z","version":1}');
INSERT INTO public.idempotency VALUES ('ZvlYXWMP8btviKk5EjDo8IIbJyzQ-xIO', 1795836105882, 'es2qj8DcqZKo1qvTtQZsFVUUbJFWtL1DFAV9WFY-waQ', 201, '/v1/contacts/con_0sc3hbck800', '"1"', '{"id":"con_0sc3hbck800","email":"middle6@earlier.example","name":"Middle 6","phone":"0105","created_at":"2026-11-28T03:21:45.882Z","updated_at":"2026-11-28T03:21:45.882Z","version":1}');
INSERT INTO public.idempotency VALUES ('_GgvYlAkwxSF5FoukscmeoUY3XBjaBI4', 1795836136283, '0JDpDP2Ef2eArLVTD5BCX0TIn2cVlVcy9i0iRiVQIUU', 201, '/v1/contacts/con_0sc3hf3bc01', '"1"', '{"id":"con_0sc3hf3bc01","email":"c3+applied@earlier.example","name":"Crowd 3","created_at":"2026-11-28T03:22:16.283Z","updated_at":"2026-11-28T03:22:16.283Z","version":1}');
INSERT INTO public.idempotency VALUES ('_RBEmERF9soiUuZSNLo8Zg7pl_x1Hyf8', 1795836118315, 'k9VmTT7iT6i693cS64LFW1hg765ZDuDQeNxe_1ur5J0', 201, '/v1/contacts/con_0sc3hcx5c00', '"1"', '{"id":"con_0sc3hcx5c00","email":"undo1@earlier.example","name":"Undo 1","phone":"0100","created_at":"2026-11-28T03:21:58.315Z","updated_at":"2026-11-28T03:21:58.315Z","version":1}');
INSERT INTO public.idempotency VALUES ('_fwZp1cEH1VnqXrsn66nGNlRUpe0rI-1', 1795836130353, 'EtJKPLAtkXAitdFc_wTBwoZcAAZIto-6L1csCkSAFtE', 201, '/v1/notes/note_0sc3hec6400', '"1"', '{"id":"note_0sc3hec6400","deal_id":"deal_0sc3h96zg00","body":"Note 2","created_at":"2026-11-28T03:22:10.353Z","updated_at":"2026-11-28T03:22:10.353Z","version":1}');
INSERT INTO public.idempotency VALUES ('_hHM5TYR7kwvsdz5kBvk3bPJbdUNkD9L', 1795836091931, 'OfbtNy2dAkPTQUXXEgSF1-bPM_91xLrMDtv5T_-B5rY', 201, '/v1/contacts/con_0sc3h9p3c00', '"1"', '{"id":"con_0sc3h9p3c00","email":"undone1@earlier.example","name":"Undone 1","phone":"0100","created_at":"2026-11-28T03:21:31.931Z","updated_at":"2026-11-28T03:21:31.931Z","version":1}');
INSERT INTO public.idempotency VALUES ('a8-8rdigtl07RYe3l9Ur0YAOWPNDr13U', 1795836105933, 'rEZNEBNSm49gINWOQ_ff919jo7ZtjX0DUr7eUcHmhns', 201, '/v1/contacts/con_0sc3hbcsm00', '"1"', '{"id":"con_0sc3hbcsm00","email":"middle7@earlier.example","name":"Middle 7","phone":"0106","created_at":"2026-11-28T03:21:45.933Z","updated_at":"2026-11-28T03:21:45.933Z","version":1}');
INSERT INTO public.idempotency VALUES ('aMEPIzXSBy6tocefNO-maybj69zIXAl9', 1795836083948, 'CGVa0ze1Q20H6HDecG7mq9A2VZDD3TOIse54KkuKJ80', 201, '/v1/contacts/con_0sc3h8pxm03', '"1"', '{"id":"con_0sc3h8pxm03","email":"base10@earlier.example","name":"Base 10","phone":"0109","created_at":"2026-11-28T03:21:23.949Z","updated_at":"2026-11-28T03:21:23.949Z","version":1}');
INSERT INTO public.idempotency VALUES ('aViMDoXmyvHhYggNBDB5gmT7saZYAu-l', 1795836125025, 'KSr7pFZ8HhsCgmYvYfv2j9Rj6uv9HPMBnjXR34XTvs4', 201, '/v1/contacts/con_0sc3hdqc400', '"1"', '{"id":"con_0sc3hdqc400","email":"cancelled7@earlier.example","name":"Cancelled 7","phone":"0106","created_at":"2026-11-28T03:22:05.025Z","updated_at":"2026-11-28T03:22:05.025Z","version":1}');
INSERT INTO public.idempotency VALUES ('b3QInv9Uqm830Wb3rVLy4zhjUe3q1dSe', 1795836084240, 'opydMPvwQ1RlW-qxviT-FKorjOygeD5Z_AvU1IPp-X4', 201, '/v1/contacts/con_0sc3h8r2003', '"1"', '{"id":"con_0sc3h8r2003","email":"base26@earlier.example","name":"Base 26","phone":"0125","created_at":"2026-11-28T03:21:24.240Z","updated_at":"2026-11-28T03:21:24.240Z","version":1}');
INSERT INTO public.idempotency VALUES ('bIns1sO9HnxUkCVp_5v-G54bposp86e3', 1795836118386, 'GOf07qeYyEb_RSQCQPb6kvn-oMFelT84rVgq_owGYdE', 201, '/v1/contacts/con_0sc3hcxe800', '"1"', '{"id":"con_0sc3hcxe800","email":"undo3@earlier.example","name":"Undo 3","phone":"0102","created_at":"2026-11-28T03:21:58.386Z","updated_at":"2026-11-28T03:21:58.386Z","version":1}');
INSERT INTO public.idempotency VALUES ('bMLVSsmdiQiYOIpJ63SKdP1PFkUqoCSY', 1795836122116, 'AibNY1w6tybh-JndqzVm3T6VUrEphjdDNDyxIwlVYxM', 201, '/v1/contacts/con_0sc3hdc0g00', '"1"', '{"id":"con_0sc3hdc0g00","email":"interrupted5@earlier.example","name":"Interrupted 5","phone":"0104","created_at":"2026-11-28T03:22:02.116Z","updated_at":"2026-11-28T03:22:02.116Z","version":1}');
INSERT INTO public.idempotency VALUES ('bPsPh2tJp3QFevR-iwxA-b7Jc9-AUWRZ', 1795836106495, 'HqD-_TpWSAK1omFuhthffSMrwwa49FC_Ps-Mm-gkC_Y', 201, '/v1/contacts/con_0sc3hbezw00', '"1"', '{"id":"con_0sc3hbezw00","email":"middle18@earlier.example","name":"Middle 18","phone":"0117","created_at":"2026-11-28T03:21:46.495Z","updated_at":"2026-11-28T03:21:46.495Z","version":1}');
INSERT INTO public.idempotency VALUES ('bYbzXVzXYsR6Wq9LzehBaxP7RFbFVNHM', 1795836083948, 'tHBNxRfxceiu8dN7KjLjaw_cHwqOloGEaeaSSRD8kiE', 201, '/v1/contacts/con_0sc3h8pxm01', '"1"', '{"id":"con_0sc3h8pxm01","email":"base8@earlier.example","name":"Base 8","phone":"0107","created_at":"2026-11-28T03:21:23.949Z","updated_at":"2026-11-28T03:21:23.949Z","version":1}');
INSERT INTO public.idempotency VALUES ('bk4wCcS87QwwHkd1BQpKarOfTWQ9v8GW', 1795836089735, 'Zccpodye9nJzDQl_SfEUQPWhu0dAUgKkHQwb4v737gU', 201, '/v1/contacts/con_0sc3h9dgw00', '"1"', '{"id":"con_0sc3h9dgw00","email":"done3@earlier.example","name":"Done 3","phone":"0102","created_at":"2026-11-28T03:21:29.735Z","updated_at":"2026-11-28T03:21:29.735Z","version":1}');
INSERT INTO public.idempotency VALUES ('c7fWpNfDVNT___LTEiEsFy1oFafFdo0p', 1795836138349, 'gV9wiLy7jCcTI4eMQ9J9_XXoYNa9boFiggnQddeTKto', 201, '/v1/contacts/con_0sc3hfbdm00', '"1"', '{"id":"con_0sc3hfbdm00","email":"ada+killed@earlier.example","name":"Ada","created_at":"2026-11-28T03:22:18.349Z","updated_at":"2026-11-28T03:22:18.349Z","version":1}');
INSERT INTO public.idempotency VALUES ('cwWpD0rSy2BoIw5-ZTu43zyxKp8yGizP', 1795836083964, 'FEysTU0bvNsxjIcJq1n_VJCkcn0CHsD8c-LeJzUe87A', 201, '/v1/contacts/con_0sc3h8pzg00', '"1"', '{"id":"con_0sc3h8pzg00","email":"base11@earlier.example","name":"Base 11","phone":"0110","created_at":"2026-11-28T03:21:23.964Z","updated_at":"2026-11-28T03:21:23.964Z","version":1}');
INSERT INTO public.idempotency VALUES ('dNmS4O-dyDbmTrasDYyXJm465LHtLhBV', 1795836089727, 'UA-_D9rxFzY9abbFTPZtHBMptTr8moDTKlKVLwa5mkY', 201, '/v1/contacts/con_0sc3h9dfw00', '"1"', '{"id":"con_0sc3h9dfw00","email":"done2@earlier.example","name":"Done 2","phone":"0101","created_at":"2026-11-28T03:21:29.727Z","updated_at":"2026-11-28T03:21:29.727Z","version":1}');
INSERT INTO public.idempotency VALUES ('dpqfqEGGFdbM0FUzYeetzUpxSNC2nroT', 1795836130414, 'oofHDWPQJXe66a10GxrvvscsA-TbNOkcRQvt2mA5ogU', 201, '/v1/notes/note_0sc3hecdr00', '"1"', '{"id":"note_0sc3hecdr00","deal_id":"deal_0sc3h96zg00","body":"Note 6","created_at":"2026-11-28T03:22:10.414Z","updated_at":"2026-11-28T03:22:10.414Z","version":1}');
INSERT INTO public.idempotency VALUES ('eOxCZZ08OWl7FWtDQup3ODTD6Kca5vSQ', 1795836118551, 'PRaT0A1XAsx9U-OBMoYbe80ooh4lcREXv-ZocAH9Adg', 201, '/v1/contacts/con_0sc3hcy2w00', '"1"', '{"id":"con_0sc3hcy2w00","email":"undo6@earlier.example","name":"Undo 6","phone":"0105","created_at":"2026-11-28T03:21:58.551Z","updated_at":"2026-11-28T03:21:58.551Z","version":1}');
INSERT INTO public.idempotency VALUES ('eZJQbTYTQW4FzCYvl4gqKAuiRmYsM3Hk', 1795836083948, 'nvYIYgSA8zvGOZhS04NnUutKxQLtFMO9gUHUSSxLk-g', 201, '/v1/contacts/con_0sc3h8pxm02', '"1"', '{"id":"con_0sc3h8pxm02","email":"base9@earlier.example","name":"Base 9","phone":"0108","created_at":"2026-11-28T03:21:23.949Z","updated_at":"2026-11-28T03:21:23.949Z","version":1}');
INSERT INTO public.idempotency VALUES ('ewV931W5tWls1EjU8PouJ7dkkVRdBlhC', 1795836103944, 'nxGhsY58x6ehDi7qippEWbWoYjZgFapgehgAMlFygHA', 201, '/v1/contacts/con_0sc3hb51000', '"1"', '{"id":"con_0sc3hb51000","email":"sent6@earlier.example","name":"Sent 6","phone":"0105","created_at":"2026-11-28T03:21:43.944Z","updated_at":"2026-11-28T03:21:43.944Z","version":1}');
INSERT INTO public.idempotency VALUES ('iSPl-ssi-StapTyvxOIsWK2tCpHKAEyb', 1795836125128, 'I0riDpKW5KYcOwSlFww4rtoba5edVs86LcxiVrRdYuo', 201, '/v1/contacts/con_0sc3hdqs000', '"1"', '{"id":"con_0sc3hdqs000","email":"cancelled9@earlier.example","name":"Cancelled 9","phone":"0108","created_at":"2026-11-28T03:22:05.128Z","updated_at":"2026-11-28T03:22:05.128Z","version":1}');
INSERT INTO public.idempotency VALUES ('iohXajzFUgWjRbL9hKbb64mKQF00LBH6', 1795836091942, '6fXPBO8E5WmwfKTtbg103kEsTYJ1cRRVAwSoCRRuWnU', 201, '/v1/contacts/con_0sc3h9p4r01', '"1"', '{"id":"con_0sc3h9p4r01","email":"undone3@earlier.example","name":"Undone 3","phone":"0102","created_at":"2026-11-28T03:21:31.942Z","updated_at":"2026-11-28T03:21:31.942Z","version":1}');
INSERT INTO public.idempotency VALUES ('jXE-i91jbxQzwLMx1ogaD0dDT5DB11Yy', 1795836091942, 'oe5hNetppEul2Qly-KKGvgOx-Y-sctCdReWxvtfAnRA', 201, '/v1/contacts/con_0sc3h9p4r00', '"1"', '{"id":"con_0sc3h9p4r00","email":"undone2@earlier.example","name":"Undone 2","phone":"0101","created_at":"2026-11-28T03:21:31.942Z","updated_at":"2026-11-28T03:21:31.942Z","version":1}');
INSERT INTO public.idempotency VALUES ('kLSBfO8ubqE91w_-7wVKERYwn1SFY6sm', 1795836106487, 'Jt4rpQlgrO4CsLETAvBemLu8h2kTZx5IKMtDId-SGdY', 201, '/v1/contacts/con_0sc3hbeyw00', '"1"', '{"id":"con_0sc3hbeyw00","email":"middle17@earlier.example","name":"Middle 17","phone":"0116","created_at":"2026-11-28T03:21:46.487Z","updated_at":"2026-11-28T03:21:46.487Z","version":1}');
INSERT INTO public.idempotency VALUES ('kWYEnRN8Cy4-DHkwstMrqwrBJGgUKSJG', 1795836138390, 'Qdo0K4Y5qzEaODn2bIFQkpKB-3gWG6mg4l823cgDObM', 201, '/v1/contacts/con_0sc3hfbjr00', '"1"', '{"id":"con_0sc3hfbjr00","email":"c2+killed@earlier.example","name":"Crowd 2","created_at":"2026-11-28T03:22:18.390Z","updated_at":"2026-11-28T03:22:18.390Z","version":1}');
INSERT INTO public.idempotency VALUES ('kc8QAEPItofEHANul2shdR15nh6HiEV4', 1795836105663, 'rm14CVY8SmbiyG0vsaUie3iin7L2evl4lsqx_NVLFjE', 201, '/v1/contacts/con_0sc3hbbqw00', '"1"', '{"id":"con_0sc3hbbqw00","email":"middle2@earlier.example","name":"Middle 2","phone":"0101","created_at":"2026-11-28T03:21:45.663Z","updated_at":"2026-11-28T03:21:45.663Z","version":1}');
INSERT INTO public.idempotency VALUES ('kxyu3TDI8mkEk3QIX7QJCgki7FxcD0VH', 1795836109524, 'pMK6CxmBJ-07yxsSuLxea_bClMJhybLgBSVLt1j4Ins', 201, '/v1/contacts/con_0sc3hbttg00', '"1"', '{"id":"con_0sc3hbttg00","email":"rechecked1@earlier.example","name":"Rechecked 1","phone":"0100","created_at":"2026-11-28T03:21:49.524Z","updated_at":"2026-11-28T03:21:49.524Z","version":1}');
INSERT INTO public.idempotency VALUES ('lRXW38tg6cE_HBED7PnYXPSlR0uAJByO', 1795836084029, 'SRjP-g5KS1yDsGKT4JyJwqfViVdFPNthMaIE5meuNos', 201, '/v1/contacts/con_0sc3h8q7m02', '"1"', '{"id":"con_0sc3h8q7m02","email":"base15@earlier.example","name":"Base 15","phone":"0114","created_at":"2026-11-28T03:21:24.029Z","updated_at":"2026-11-28T03:21:24.029Z","version":1}');
INSERT INTO public.idempotency VALUES ('nYqKcjxuju3ISBykv9HcIuQyNx26mdmY', 1795836125326, 'xMxeTbBo13PAbWrEFEUJH4XQrSpqPvBpXUvNPbmRu3I', 201, '/v1/contacts/con_0sc3hdrhr00', '"1"', '{"id":"con_0sc3hdrhr00","email":"cancelled13@earlier.example","name":"Cancelled 13","phone":"0112","created_at":"2026-11-28T03:22:05.326Z","updated_at":"2026-11-28T03:22:05.326Z","version":1}');
INSERT INTO public.idempotency VALUES ('nh41bmaYd-TPybz-rMZOf8IplFyRgBpe', 1795836084089, '2vyrnysFBOzmiXE2aDfrAHsTCLWod1FdVK-u9ov2ntA', 201, '/v1/contacts/con_0sc3h8qh402', '"1"', '{"id":"con_0sc3h8qh402","email":"base20@earlier.example","name":"Base 20","phone":"0119","created_at":"2026-11-28T03:21:24.105Z","updated_at":"2026-11-28T03:21:24.105Z","version":1}');
INSERT INTO public.idempotency VALUES ('nmqzXlc3kIV-f_FfU3hnBbqLuApJ0rmk', 1795836111523, 'uYehkgkj8QWeLLxk6PHa_BMoQHuFJP7wLLpQOXZ6QB4', 200, NULL, '"2"', '{"id":"con_0sc3h8qh400","email":"base18@earlier.example","name":"Base 18","phone":"0999","created_at":"2026-11-28T03:21:24.105Z","updated_at":"2026-11-28T03:21:51.523Z","version":2}');
INSERT INTO public.idempotency VALUES ('qATUy5jgly0Fp-d0VU3C0s1Ix0x7pkLm', 1795836083948, 'vHQJ4aBoq-Q9anunRQvOgOtGezWjqEnVxZ_VtwF1a1M', 201, '/v1/contacts/con_0sc3h8pxg03', '"1"', '{"id":"con_0sc3h8pxg03","email":"base6@earlier.example","name":"Base 6","phone":"0105","created_at":"2026-11-28T03:21:23.948Z","updated_at":"2026-11-28T03:21:23.948Z","version":1}');
INSERT INTO public.idempotency VALUES ('q_gDhPgAbZStjndvPx-QswA21tByGc98', 1795836111576, 'j7kWQUIFmFPlrzslbB9QXF9p1MqouLP17_kvCcN6dGk', 200, NULL, '"2"', '{"id":"con_0sc3h8q7m03","email":"base16@earlier.example","name":"Base 16","phone":"0999","created_at":"2026-11-28T03:21:24.029Z","updated_at":"2026-11-28T03:21:51.576Z","version":2}');
INSERT INTO public.idempotency VALUES ('qai290apbXjOOrFKPCq7piedqOV7vQE1', 1795836122091, 'd53UnLEbTJVyxJjXMXG_7fCabjNekyBpyCkOZSa9noo', 201, '/v1/contacts/con_0sc3hdbxc00', '"1"', '{"id":"con_0sc3hdbxc00","email":"interrupted4@earlier.example","name":"Interrupted 4","phone":"0103","created_at":"2026-11-28T03:22:02.091Z","updated_at":"2026-11-28T03:22:02.091Z","version":1}');
INSERT INTO public.idempotency VALUES ('ql2bZhywafvqXN0lAdoT2pOAdEwPZ211', 1795836106034, '3sIQHFFmuF77K2DZGnDLbwkoeGN5XSIP1fdLiQmVawk', 201, '/v1/contacts/con_0sc3hbd6800', '"1"', '{"id":"con_0sc3hbd6800","email":"middle9@earlier.example","name":"Middle 9","phone":"0108","created_at":"2026-11-28T03:21:46.034Z","updated_at":"2026-11-28T03:21:46.034Z","version":1}');
INSERT INTO public.idempotency VALUES ('quNP3n1WcxQF0b1blhXvhHKR4hQ9VBwL', 1795836105987, '7gd8c5T387mYi4oB5etKVVQDcFEQA40W4CXAsO8IiqE', 201, '/v1/contacts/con_0sc3hbd0c00', '"1"', '{"id":"con_0sc3hbd0c00","email":"middle8@earlier.example","name":"Middle 8","phone":"0107","created_at":"2026-11-28T03:21:45.987Z","updated_at":"2026-11-28T03:21:45.987Z","version":1}');
INSERT INTO public.idempotency VALUES ('rCP8JWBV0E8amv-KYCffAMzO9y4tvAUq', 1795836083874, 'Q5mMXvLyxP0PqhDxfko8pgZuVoI9rtCV7PBMQwqJWLc', 201, '/v1/contacts/con_0sc3h8pm800', '"1"', '{"id":"con_0sc3h8pm800","email":"base1@earlier.example","name":"Base 1","phone":"0100","created_at":"2026-11-28T03:21:23.874Z","updated_at":"2026-11-28T03:21:23.874Z","version":1}');
INSERT INTO public.idempotency VALUES ('scn_RcJ5UrA1OXrn5Qnv_mFIjKS9HdGH', 1795836084240, 'ZLvPhOx705ztNscr3uSJX9DzkzhlJRn6fz_tfXmgLR4', 201, '/v1/contacts/con_0sc3h8r2400', '"1"', '{"id":"con_0sc3h8r2400","email":"base30@earlier.example","name":"Base 30","phone":"0129","created_at":"2026-11-28T03:21:24.241Z","updated_at":"2026-11-28T03:21:24.241Z","version":1}');
INSERT INTO public.idempotency VALUES ('sr68b1FqO87R18M6mGFgUBnMmi2XH-fl', 1795836124971, 'r4XODmrUY59OTNzoAOmwhHUBYQvEduEdQ-dJRk14Sas', 201, '/v1/contacts/con_0sc3hdq5c00', '"1"', '{"id":"con_0sc3hdq5c00","email":"cancelled6@earlier.example","name":"Cancelled 6","phone":"0105","created_at":"2026-11-28T03:22:04.971Z","updated_at":"2026-11-28T03:22:04.971Z","version":1}');
INSERT INTO public.idempotency VALUES ('t8PN3ZNrXaOX3WFmu1R9FdaXYkEkk8LF', 1795836106630, 'I6RwhUbMPCiBbGq9TenfHHbA7tW2QZ3-LXT6YO34scY', 201, '/v1/contacts/con_0sc3hbfgr00', '"1"', '{"id":"con_0sc3hbfgr00","email":"middle22@earlier.example","name":"Middle 22","phone":"0121","created_at":"2026-11-28T03:21:46.630Z","updated_at":"2026-11-28T03:21:46.630Z","version":1}');
INSERT INTO public.idempotency VALUES ('tqfu4DLCyhhV2jOZLP7JfkkTKYy3Jwik', 1795836125225, 'JBSm4Ybhc4zHSpwdEVTZIKr4FSnSD4Yc8bU_nUHnMp0', 201, '/v1/contacts/con_0sc3hdr5400', '"1"', '{"id":"con_0sc3hdr5400","email":"cancelled11@earlier.example","name":"Cancelled 11","phone":"0110","created_at":"2026-11-28T03:22:05.225Z","updated_at":"2026-11-28T03:22:05.225Z","version":1}');
INSERT INTO public.idempotency VALUES ('trR1XYiqVfY64oi__NDYpuxFXs1CVifn', 1795836125371, 'xSAWW1G86vdxk-UCJuzloLfbv_EHDR_DuHG0JYyhpw0', 201, '/v1/contacts/con_0sc3hdrqg00', '"1"', '{"id":"con_0sc3hdrqg00","email":"cancelled14@earlier.example","name":"Cancelled 14","phone":"0113","created_at":"2026-11-28T03:22:05.372Z","updated_at":"2026-11-28T03:22:05.372Z","version":1}');
INSERT INTO public.idempotency VALUES ('tutktw8vKVbYnbH8CffRrUoDBPqTcFXi', 1795836084240, '_D2U4gubkq6cyH7cA9s0ls9xpMql0yP-uaO3rCCHqEc', 201, '/v1/contacts/con_0sc3h8r2004', '"1"', '{"id":"con_0sc3h8r2004","email":"base27@earlier.example","name":"Base 27","phone":"0126","created_at":"2026-11-28T03:21:24.240Z","updated_at":"2026-11-28T03:21:24.240Z","version":1}');
INSERT INTO public.idempotency VALUES ('tyLRXrmW3Qh_hZVjDl9JYsLY_AZOZL7h', 1795836103932, 'VEJJlO88uGh2pvgPIG7m8hCrm7gvV1GIea_brfmZOZI', 201, '/v1/contacts/con_0sc3hb4zg00', '"1"', '{"id":"con_0sc3hb4zg00","email":"sent5@earlier.example","name":"Sent 5","phone":"0104","created_at":"2026-11-28T03:21:43.932Z","updated_at":"2026-11-28T03:21:43.932Z","version":1}');
INSERT INTO public.idempotency VALUES ('upTCpaJwbq7hGxzQglqxiygIPlhAZYlo', 1795836136302, 'p6iC7qEnRRQ_FbgVcxkuygyZJPnZDtcnwiMY6Dw-cEg', 201, '/v1/contacts/con_0sc3hf3dr00', '"1"', '{"id":"con_0sc3hf3dr00","email":"c6+applied@earlier.example","name":"Crowd 6","created_at":"2026-11-28T03:22:16.302Z","updated_at":"2026-11-28T03:22:16.302Z","version":1}');
INSERT INTO public.idempotency VALUES ('v-ka_p28Si1pFLwrl-GV65LZCi9zqPtA', 1795836109606, '4ybeH7_2ddnT1EKFY5bY51pBavHwFJo0YFdbVwZKnaI', 201, '/v1/contacts/con_0sc3hbv4r00', '"1"', '{"id":"con_0sc3hbv4r00","email":"rechecked5@earlier.example","name":"Rechecked 5","phone":"0104","created_at":"2026-11-28T03:21:49.606Z","updated_at":"2026-11-28T03:21:49.606Z","version":1}');
INSERT INTO public.idempotency VALUES ('v6rgGhht5uj1Aq3N_VXDxT0WX16eOr-h', 1795836106570, '89DDJnOFRyvMtlbS6qwVRXipFKv1vH-ChvmNsZHN9s0', 201, '/v1/contacts/con_0sc3hbf9800', '"1"', '{"id":"con_0sc3hbf9800","email":"middle20@earlier.example","name":"Middle 20","phone":"0119","created_at":"2026-11-28T03:21:46.570Z","updated_at":"2026-11-28T03:21:46.570Z","version":1}');
INSERT INTO public.idempotency VALUES ('vU08XOVxI4AuU32wz9Ge4aIeZSSmzMaR', 1795836116297, 'UyZQv3Mz7Nsnuy_mzMiV5_sOOHsqibbhsSkOKdJDyxg', 200, NULL, '"2"', '{"id":"deal_0sc3h944c00","name":"Deal 4","stage":"Qualified","amount":400,"pipeline_id":"sales","created_at":"2026-11-28T03:21:27.331Z","updated_at":"2026-11-28T03:21:56.297Z","version":2}');
INSERT INTO public.idempotency VALUES ('wMoK4fXSeqpB7CuCqRZgds6jVg_wsWAp', 1795836116259, '4uQ1coXh6wFwmnQ4tVp_ATllIK_0x5DO6YugW8cakfg', 200, NULL, '"2"', '{"id":"deal_0sc3h95cw00","name":"Deal 5","stage":"Qualified","amount":500,"pipeline_id":"sales","created_at":"2026-11-28T03:21:27.655Z","updated_at":"2026-11-28T03:21:56.260Z","version":2}');
INSERT INTO public.idempotency VALUES ('x8KhqMQchDSx9FhEjpYqLuFuWKsZfOtg', 1795836136283, '3KhtzIQSrHyrkB_oh2vFeVEQ6NCQYKh6YzQvyDSFQT8', 201, '/v1/contacts/con_0sc3hf3bc02', '"1"', '{"id":"con_0sc3hf3bc02","email":"c4+applied@earlier.example","name":"Crowd 4","created_at":"2026-11-28T03:22:16.283Z","updated_at":"2026-11-28T03:22:16.283Z","version":1}');
INSERT INTO public.idempotency VALUES ('xP-ZSsRETDtXsk5xedatXC6OzB80JrUe', 1795836106136, 'ykJRX94aPDW4m7TtJgTnKhQNWX_9JeOD-rX_JJN6SHQ', 201, '/v1/contacts/con_0sc3hbdk000', '"1"', '{"id":"con_0sc3hbdk000","email":"middle11@earlier.example","name":"Middle 11","phone":"0110","created_at":"2026-11-28T03:21:46.136Z","updated_at":"2026-11-28T03:21:46.136Z","version":1}');
INSERT INTO public.idempotency VALUES ('yEhhYgBnwESmrWlV4jUgmhFsxDaTOyot', 1795836122152, 'd7ut7X0et4UNj7VO_zX3gRcCL-54mG4PtNUZYtYIUGA', 201, '/v1/contacts/con_0sc3hdc5000', '"1"', '{"id":"con_0sc3hdc5000","email":"interrupted6@earlier.example","name":"Interrupted 6","phone":"0105","created_at":"2026-11-28T03:22:02.152Z","updated_at":"2026-11-28T03:22:02.152Z","version":1}');
INSERT INTO public.idempotency VALUES ('ySJZFBAO8Q5VR-fwv15WWvXSmJYeP7we', 1795836124880, '0aTIhSuLfPhAtAQH3FZCOGRIuBDOqhJnND2beck_ktU', 201, '/v1/contacts/con_0sc3hdpt000', '"1"', '{"id":"con_0sc3hdpt000","email":"cancelled3@earlier.example","name":"Cancelled 3","phone":"0102","created_at":"2026-11-28T03:22:04.880Z","updated_at":"2026-11-28T03:22:04.880Z","version":1}');
INSERT INTO public.idempotency VALUES ('zTF8PC0ebOFLDq9rWN51W2wf4m4Hu3Br', 1795836094491, '5hAIzv3mJ8_C-uy7_dA17PMpZQi_LsuivSuc9o1vh1Q', 200, NULL, '"2"', '{"id":"con_0sc3h8pm800","email":"base1@earlier.example","name":"Base 1","phone":"0100","company":"Changed by a job","created_at":"2026-11-28T03:21:23.874Z","updated_at":"2026-11-28T03:21:34.491Z","version":2}');
INSERT INTO public.idempotency VALUES ('zt9koLiRwXh1ojHb2Q6POQ0lJwSdBck3', 1795836084008, 'nIFgkOdzbVVlkV2dTF-cb58aWBK1UIXGiTqasJTiqFY', 201, '/v1/contacts/con_0sc3h8q5000', '"1"', '{"id":"con_0sc3h8q5000","email":"base12@earlier.example","name":"Base 12","phone":"0111","created_at":"2026-11-28T03:21:24.008Z","updated_at":"2026-11-28T03:21:24.008Z","version":1}');


--
-- Data for Name: key_uses; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.key_uses VALUES (1795834800000, 'key_0sc3h8gfpz1', 'DELETE /v1/contacts/:id', 12, 0, 1795836135217, '127.0.0.1');
INSERT INTO public.key_uses VALUES (1795834800000, 'key_0sc3h8gfpz1', 'DELETE /v1/fixture-runs/:id/lock', 1, 0, 1795836136639, '127.0.0.1');
INSERT INTO public.key_uses VALUES (1795834800000, 'key_0sc3h8gfpz1', 'GET /v1/contacts', 59, 0, 1795836156022, '127.0.0.1');
INSERT INTO public.key_uses VALUES (1795834800000, 'key_0sc3h8gfpz1', 'GET /v1/contacts/:id', 2, 0, 1795836134844, '127.0.0.1');
INSERT INTO public.key_uses VALUES (1795834800000, 'key_0sc3h8gfpz1', 'GET /v1/deals', 8, 0, 1795836136612, '127.0.0.1');
INSERT INTO public.key_uses VALUES (1795834800000, 'key_0sc3h8gfpz1', 'GET /v1/pipelines', 2, 0, 1795836137959, '127.0.0.1');
INSERT INTO public.key_uses VALUES (1795834800000, 'key_0sc3h8gfpz1', 'GET /v1/pipelines/:id/stages', 3, 0, 1795836137973, '127.0.0.1');
INSERT INTO public.key_uses VALUES (1795834800000, 'key_0sc3h8gfpz1', 'PATCH /v1/contacts/:id', 4, 0, 1795836111584, '127.0.0.1');
INSERT INTO public.key_uses VALUES (1795834800000, 'key_0sc3h8gfpz1', 'PATCH /v1/deals/:id', 4, 0, 1795836116406, '127.0.0.1');
INSERT INTO public.key_uses VALUES (1795834800000, 'key_0sc3h8gfpz1', 'PATCH /v1/fixture-runs/:id', 7, 0, 1795836138237, '127.0.0.1');
INSERT INTO public.key_uses VALUES (1795834800000, 'key_0sc3h8gfpz1', 'POST /v1/contacts', 123, 1, 1795836150782, '127.0.0.1');
INSERT INTO public.key_uses VALUES (1795834800000, 'key_0sc3h8gfpz1', 'POST /v1/deals', 8, 0, 1795836136530, '127.0.0.1');
INSERT INTO public.key_uses VALUES (1795834800000, 'key_0sc3h8gfpz1', 'POST /v1/deals/:id/notes', 6, 0, 1795836136619, '127.0.0.1');
INSERT INTO public.key_uses VALUES (1795834800000, 'key_0sc3h8gfpz1', 'POST /v1/fixture-runs/:id/lock', 2, 0, 1795836138090, '127.0.0.1');
INSERT INTO public.key_uses VALUES (1795834800000, 'key_0sc3h8gfpz1', 'POST /v1/webhooks', 2, 0, 1795836153385, '127.0.0.1');


--
-- Data for Name: notes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.notes VALUES (892925088034816, 1, '{"id":"note_0sc3h9axw00","deal_id":"deal_0sc3h96zg00","body":"A note of before","created_at":"2026-11-28T03:21:29.071Z","updated_at":"2026-11-28T03:21:29.071Z","version":1}', 892925083893760);
INSERT INTO public.notes VALUES (892925257064448, 1, '{"id":"note_0sc3hec4800","deal_id":"deal_0sc3h96zg00","body":"Note 1","created_at":"2026-11-28T03:22:10.338Z","updated_at":"2026-11-28T03:22:10.338Z","version":1}', 892925083893760);
INSERT INTO public.notes VALUES (892925257125888, 1, '{"id":"note_0sc3hec6400","deal_id":"deal_0sc3h96zg00","body":"Note 2","created_at":"2026-11-28T03:22:10.353Z","updated_at":"2026-11-28T03:22:10.353Z","version":1}', 892925083893760);
INSERT INTO public.notes VALUES (892925257179136, 1, '{"id":"note_0sc3hec7r00","deal_id":"deal_0sc3h96zg00","body":"Note 4","created_at":"2026-11-28T03:22:10.366Z","updated_at":"2026-11-28T03:22:10.366Z","version":1}', 892925083893760);
INSERT INTO public.notes VALUES (892925257375744, 1, '{"id":"note_0sc3hecdr00","deal_id":"deal_0sc3h96zg00","body":"Note 6","created_at":"2026-11-28T03:22:10.414Z","updated_at":"2026-11-28T03:22:10.414Z","version":1}', 892925083893760);
INSERT INTO public.notes VALUES (892925282787328, 1, '{"id":"note_0sc3hf4n800","deal_id":"deal_0sc3hf49w00","body":"Called","created_at":"2026-11-28T03:22:16.618Z","updated_at":"2026-11-28T03:22:16.618Z","version":1}', 892925282414592);


--
-- Data for Name: pipelines; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.pipelines VALUES (0, 'sales', 'Sales');


--
-- Data for Name: rate_windows; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: sequence; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sequence VALUES (1, 892925351378944, 1);


--
-- Data for Name: stages; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.stages VALUES ('sales', 0, 'sales.lead', 'Lead', 1, 0.1);
INSERT INTO public.stages VALUES ('sales', 1, 'sales.qualified', 'Qualified', 2, 0.25);
INSERT INTO public.stages VALUES ('sales', 2, 'sales.proposal', 'Proposal', 3, 0.5);
INSERT INTO public.stages VALUES ('sales', 3, 'sales.negotiation', 'Negotiation', 4, 0.75);
INSERT INTO public.stages VALUES ('sales', 4, 'sales.won', 'Won', 5, 1);
INSERT INTO public.stages VALUES ('sales', 5, 'sales.lost', 'Lost', 6, 0);


--
-- Data for Name: unique_field_values; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: unique_fields; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: webhooks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhooks VALUES (892925324951552, 1, '{"id":"wh_0sc3hgcw000","url":"http://127.0.0.1:4242/","events":["*"],"description":"crm listen","status":"enabled","created_at":"2026-11-28T03:22:26.912Z","updated_at":"2026-11-28T03:22:26.912Z","version":1}', 'http://127.0.0.1:4242/', '["*"]', 'whsec_+tmT8TiMG3xEDaI2Mio5DyPZWhVtVlYHJ2c5U4oLR+k=', '[]', 1795836150820);
INSERT INTO public.webhooks VALUES (892925351378944, 1, '{"id":"wh_0sc3hh62g00","url":"http://127.0.0.1:28422/hook","events":["*"],"status":"enabled","created_at":"2026-11-28T03:22:33.364Z","updated_at":"2026-11-28T03:22:33.364Z","version":1}', 'http://127.0.0.1:28422/hook', '["*"]', 'whsec_xTG02q3ocLW3rHhDYEBrQ2QNoPWJb99fd8MnbYUHHYE=', '[]', NULL);


--
-- Data for Name: writers; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Name: api_keys api_keys_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_hash_key UNIQUE (hash);


--
-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);


--
-- Name: contacts contacts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contacts
    ADD CONSTRAINT contacts_pkey PRIMARY KEY (id);


--
-- Name: deals deals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deals
    ADD CONSTRAINT deals_pkey PRIMARY KEY (id);


--
-- Name: deliveries deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (webhook_id, event_id);


--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);


--
-- Name: fixture_runs fixture_runs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.fixture_runs
    ADD CONSTRAINT fixture_runs_pkey PRIMARY KEY (id);


--
-- Name: history history_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.history
    ADD CONSTRAINT history_pkey PRIMARY KEY (id);


--
-- Name: idempotency idempotency_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency
    ADD CONSTRAINT idempotency_pkey PRIMARY KEY (key);


--
-- Name: key_uses key_uses_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.key_uses
    ADD CONSTRAINT key_uses_pkey PRIMARY KEY (hour_ms, key_id, action);


--
-- Name: notes notes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_pkey PRIMARY KEY (id);


--
-- Name: pipelines pipelines_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pipelines
    ADD CONSTRAINT pipelines_id_key UNIQUE (id);


--
-- Name: pipelines pipelines_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pipelines
    ADD CONSTRAINT pipelines_pkey PRIMARY KEY (place);


--
-- Name: rate_windows rate_windows_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rate_windows
    ADD CONSTRAINT rate_windows_pkey PRIMARY KEY (key_id, window_ms);


--
-- Name: sequence sequence_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sequence
    ADD CONSTRAINT sequence_pkey PRIMARY KEY (only_row);


--
-- Name: stages stages_pipeline_id_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stages
    ADD CONSTRAINT stages_pipeline_id_name_key UNIQUE (pipeline_id, name);


--
-- Name: stages stages_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stages
    ADD CONSTRAINT stages_pkey PRIMARY KEY (pipeline_id, id);


--
-- Name: unique_field_values unique_field_values_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.unique_field_values
    ADD CONSTRAINT unique_field_values_pkey PRIMARY KEY (resource, member, value);


--
-- Name: unique_fields unique_fields_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.unique_fields
    ADD CONSTRAINT unique_fields_pkey PRIMARY KEY (resource, member);


--
-- Name: webhooks webhooks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);


--
-- Name: writers writers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.writers
    ADD CONSTRAINT writers_pkey PRIMARY KEY (name);


--
-- Name: contacts_by_company; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contacts_by_company ON public.contacts USING btree (company, ((- id)));


--
-- Name: contacts_by_email; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contacts_by_email ON public.contacts USING btree (email, ((- id)));


--
-- Name: contacts_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contacts_by_name ON public.contacts USING btree (name, ((- id)));


--
-- Name: contacts_by_owner; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contacts_by_owner ON public.contacts USING btree (owner_id, ((- id)));


--
-- Name: contacts_by_phone; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contacts_by_phone ON public.contacts USING btree (phone, ((- id)));


--
-- Name: deals_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deals_by_name ON public.deals USING btree (name, ((- id)));


--
-- Name: deals_by_owner; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deals_by_owner ON public.deals USING btree (owner_id, ((- id)));


--
-- Name: deals_by_pipeline; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deals_by_pipeline ON public.deals USING btree (pipeline_id, ((- id)));


--
-- Name: deals_by_stage; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deals_by_stage ON public.deals USING btree (stage, ((- id)));


--
-- Name: deliveries_backlog; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deliveries_backlog ON public.deliveries USING btree (event_id, failing_since_ms) WHERE (kept_until_ms IS NULL);


--
-- Name: deliveries_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deliveries_due ON public.deliveries USING btree (webhook_id, next_at_ms, event_id) WHERE (state = ANY (ARRAY['pending'::text, 'sending'::text]));


--
-- Name: deliveries_kept; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deliveries_kept ON public.deliveries USING btree (kept_until_ms) WHERE (kept_until_ms IS NOT NULL);


--
-- Name: deliveries_of_event; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deliveries_of_event ON public.deliveries USING btree (event_id);


--
-- Name: deliveries_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deliveries_open ON public.deliveries USING btree (record_id, webhook_id, event_id) WHERE (state = ANY (ARRAY['waiting'::text, 'pending'::text, 'sending'::text]));


--
-- Name: history_by_job; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX history_by_job ON public.history USING btree (job, ((- id))) WHERE (job IS NOT NULL);


--
-- Name: history_by_key; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX history_by_key ON public.history USING btree (key_id, ((- id)));


--
-- Name: history_by_record; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX history_by_record ON public.history USING btree (record_id, ((- id)));


--
-- Name: history_by_resource; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX history_by_resource ON public.history USING btree (resource, ((- id)));


--
-- Name: idempotency_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_by_age ON public.idempotency USING btree (at_ms);


--
-- Name: notes_by_deal; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notes_by_deal ON public.notes USING btree (deal_id, ((- id)));


--
-- Name: unique_field_values_by_record; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX unique_field_values_by_record ON public.unique_field_values USING btree (resource, record_id);


--
-- Name: key_uses key_uses_key_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.key_uses
    ADD CONSTRAINT key_uses_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.api_keys(id) ON DELETE CASCADE;


--
-- Name: notes notes_deal_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_deal_id_fkey FOREIGN KEY (deal_id) REFERENCES public.deals(id) ON DELETE CASCADE;


--
-- Name: stages stages_pipeline_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stages
    ADD CONSTRAINT stages_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES public.pipelines(id) ON DELETE CASCADE;


--
-- Name: unique_field_values unique_field_values_resource_member_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.unique_field_values
    ADD CONSTRAINT unique_field_values_resource_member_fkey FOREIGN KEY (resource, member) REFERENCES public.unique_fields(resource, member) ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--

\unrestrict OOd9BkXdhjri69xFN740BUo8RarJqj8uxQDBMx9SiQ9Bk0gIekSzvCganX13Nbf

