/**
 * Returns the tables of artifacts, presets, sessions, charges and usage. Times are Unix seconds of the replica that wrote the row.
 */
export function storesSchema(schema: string): string {
  return `
-- Artifacts. A pending row records a publication or a removal that has not ended. The columns of the metadata file
-- beside an image are all set or all NULL. "artifact_total" counts published images without their metadata files,
-- because counting rows takes too long.
CREATE TABLE ${schema}.artifact (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  scope text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('pending', 'published')),
  owner text COLLATE "C",
  name text COLLATE "C" NOT NULL UNIQUE,
  format text COLLATE "C" NOT NULL CHECK (format IN ('png', 'jpeg', 'webp')),
  width integer NOT NULL CHECK (width > 0),
  height integer NOT NULL CHECK (height > 0),
  bytes bigint NOT NULL CHECK (bytes > 0),
  sha256 text COLLATE "C" NOT NULL CHECK (length(sha256) = 64),
  created_secs bigint NOT NULL,
  sidecar_name text COLLATE "C",
  sidecar_bytes bigint CHECK (sidecar_bytes > 0),
  sidecar_sha256 text COLLATE "C" CHECK (length(sidecar_sha256) = 64),
  CHECK ((sidecar_name IS NULL) = (sidecar_bytes IS NULL)),
  CHECK ((sidecar_name IS NULL) = (sidecar_sha256 IS NULL))
);

CREATE INDEX artifact_pending ON ${schema}.artifact (id) WHERE state = 'pending';
CREATE INDEX artifact_age ON ${schema}.artifact (created_secs, id) WHERE state = 'published';
CREATE UNIQUE INDEX artifact_sidecar ON ${schema}.artifact (sidecar_name)
  WHERE sidecar_name IS NOT NULL;

CREATE TABLE ${schema}.artifact_total (
  only_row integer NOT NULL PRIMARY KEY CHECK (only_row = 1),
  artifacts bigint NOT NULL CHECK (artifacts >= 0),
  bytes bigint NOT NULL CHECK (bytes >= 0)
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0.02);

INSERT INTO ${schema}.artifact_total VALUES (1, 0, 0);

-- Named templates, shared by all callers. Names are compared by their bytes.
CREATE TABLE ${schema}.preset (
  name text COLLATE "C" NOT NULL PRIMARY KEY,
  description text,
  template text NOT NULL,
  created bigint NOT NULL,
  updated bigint NOT NULL
);

-- The threads to which session keys are bound. A thread belongs to one session.
CREATE TABLE ${schema}.session (
  scope text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  thread text COLLATE "C" NOT NULL,
  PRIMARY KEY (scope, provider, key),
  UNIQUE (provider, thread)
);

-- Charges and usage. "charge" counts the images that count against the allowance of a day. "usage" counts outputs whose
-- calls have ended; every charged output is included in "images". "ledger" has one row for each request and each
-- running job that has not ended, under the id of the job or under its own id. The row has the number of outputs
-- requested on the current route, the number of these outputs in "charge", and the allowance of the day. The account of
-- a job has no owner because it ends with the job. "ledger_row" has one row for each output of each provider call that
-- may have been sent.
CREATE TABLE ${schema}.charge (
  token text COLLATE "C" NOT NULL,
  day integer NOT NULL,
  images bigint NOT NULL CHECK (images >= 0),
  PRIMARY KEY (token, day)
) WITH (fillfactor = 50);

CREATE TABLE ${schema}.usage (
  token text COLLATE "C" NOT NULL,
  day integer NOT NULL,
  provider text COLLATE "C" NOT NULL,
  images bigint NOT NULL CHECK (images >= 0),
  lost bigint NOT NULL CHECK (lost BETWEEN 0 AND images),
  unknown bigint NOT NULL CHECK (unknown >= 0),
  failed bigint NOT NULL CHECK (failed >= 0),
  tokens bigint CHECK (tokens >= 0),
  PRIMARY KEY (token, day, provider)
) WITH (fillfactor = 50);

CREATE TABLE ${schema}.ledger (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  owner text COLLATE "C",
  token text COLLATE "C" NOT NULL,
  day integer NOT NULL,
  outputs integer NOT NULL CHECK (outputs >= 0),
  reserved integer NOT NULL CHECK (reserved >= 0),
  allowance bigint CHECK (allowance >= 0),
  renewals integer NOT NULL DEFAULT 0 CHECK (renewals >= 0)
);

CREATE TABLE ${schema}.ledger_row (
  ledger text COLLATE "C" NOT NULL REFERENCES ${schema}.ledger (id) ON DELETE CASCADE,
  call integer NOT NULL CHECK (call >= 0),
  output integer NOT NULL CHECK (output >= 0),
  provider text COLLATE "C" NOT NULL,
  PRIMARY KEY (ledger, call, output)
);

-- The images of a running job that are published while its other calls run, each in the JSON format of results.
CREATE TABLE ${schema}.job_output (
  artifact_id text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES ${schema}.artifact (id) ON DELETE CASCADE,
  seq bigint NOT NULL,
  image text NOT NULL
);

CREATE INDEX job_output_of_job ON ${schema}.job_output (seq);

-- Webhooks. A row waits until its job ends. If the end is among the events of the row, the transaction that ends the
-- job makes the row due. "host" is the host of the URL, with its port. "due" is in Unix milliseconds.
CREATE TABLE ${schema}.webhook (
  seq bigint NOT NULL PRIMARY KEY,
  url text NOT NULL,
  host text COLLATE "C" NOT NULL,
  events text NOT NULL,
  state text COLLATE "C" NOT NULL DEFAULT 'waiting'
    CHECK (state IN ('waiting', 'pending', 'delivered', 'failed')),
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  last_status integer,
  due bigint,
  CHECK ((due IS NOT NULL) = (state = 'pending'))
);

CREATE INDEX webhook_due ON ${schema}.webhook (host, due) WHERE due IS NOT NULL;
`;
}
