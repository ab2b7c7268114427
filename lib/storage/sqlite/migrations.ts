import { BridgeError } from '../../errors/bridge-error.ts';
import {
  type Connection,
  hasOrphans,
  prepareToMigrate,
  schemaVersion,
  setSchemaVersion,
} from './connection.ts';
import { SCHEMA } from './schema.ts';

/** Adds the request to cancel a running job, in the JSON format of `JobCancellation`. */
const CANCELLATION = 'ALTER TABLE job_content ADD COLUMN cancellation TEXT;';

/**
 * Adds the tickets of accepted calls. A row is deleted with its account. Only the provider reads the ticket, which is a secret.
 */
const TICKETS = `
  CREATE TABLE ledger_ticket (
    ledger TEXT NOT NULL REFERENCES ledger (id) ON DELETE CASCADE,
    call INTEGER NOT NULL CHECK (call >= 0),
    model TEXT NOT NULL,
    ticket TEXT NOT NULL CHECK (octet_length(ticket) <= 2048),
    PRIMARY KEY (ledger, call)
  ) STRICT, WITHOUT ROWID;`;

/**
 * Adds costs and budgets. Amounts are in 10^-10 US dollars. "spending" has the money that is spent or reserved in each UTC day and
 * month, such as 2026-11-24 and 2026-11. "basis" is the index of the weakest basis of "cost" (`COST_BASES`), and "unpriced" is the
 * number of images whose cost is unknown. The cost of earlier images is unknown. "held" is the amount that an open account or a
 * queued job reserves, which is a part of "spending".
 */
const MONEY = `
CREATE TABLE spending (
  token TEXT NOT NULL,
  period TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount >= 0),
  PRIMARY KEY (token, period)
) STRICT, WITHOUT ROWID;
ALTER TABLE usage ADD COLUMN cost INTEGER NOT NULL DEFAULT 0 CHECK (cost >= 0);
ALTER TABLE usage ADD COLUMN basis INTEGER NOT NULL DEFAULT 0 CHECK (basis BETWEEN 0 AND 3);
ALTER TABLE usage ADD COLUMN unpriced INTEGER NOT NULL DEFAULT 0 CHECK (unpriced >= 0);
UPDATE usage SET basis = 3, unpriced = images + unknown WHERE images + unknown > 0;
ALTER TABLE ledger ADD COLUMN held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0);
ALTER TABLE ledger ADD COLUMN budget_per_day INTEGER CHECK (budget_per_day >= 0);
ALTER TABLE ledger ADD COLUMN budget_per_month INTEGER CHECK (budget_per_month >= 0);
ALTER TABLE job_content ADD COLUMN held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0);
ALTER TABLE job_content ADD COLUMN budget_per_day INTEGER CHECK (budget_per_day >= 0);
ALTER TABLE job_content ADD COLUMN budget_per_month INTEGER CHECK (budget_per_month >= 0);
`;

/**
 * Adds the ended calls whose id in the invoice of their service is known. "cost", "basis" and "unpriced" are the part of the call
 * in "usage", and "spent" its part in "spending".
 */
const BILLING = `
CREATE TABLE billed_call (
  provider TEXT NOT NULL,
  id TEXT NOT NULL,
  token TEXT NOT NULL,
  day INTEGER NOT NULL,
  cost INTEGER NOT NULL CHECK (cost >= 0),
  basis INTEGER NOT NULL CHECK (basis BETWEEN 0 AND 3),
  unpriced INTEGER NOT NULL CHECK (unpriced >= 0),
  spent INTEGER NOT NULL CHECK (spent >= 0),
  PRIMARY KEY (provider, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX billed_call_order ON billed_call (provider, day, id);
CREATE INDEX billed_call_age ON billed_call (day);
`;

/**
 * Adds the labels of jobs, a JSON list in the order of the caller. "job_label" has each label, so that the jobs with a label are
 * found.
 */
const LABELS = `
ALTER TABLE job ADD COLUMN labels TEXT NOT NULL DEFAULT '[]';
CREATE TABLE job_label (
  scope TEXT NOT NULL,
  label TEXT NOT NULL,
  seq INTEGER NOT NULL REFERENCES job (seq) ON DELETE CASCADE,
  PRIMARY KEY (scope, label, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_label_of_job ON job_label (seq);
`;

/** Adds the provenance of artifacts, in the JSON format of `Provenance`. Not known for earlier artifacts. */
const PROVENANCE = 'ALTER TABLE artifact ADD COLUMN provenance TEXT;';

/**
 * Adds the lineage of jobs. "job_image" has the images of ended jobs, each with its position among the artifacts of its job.
 * "job_parent" has the input images of a job that were artifacts. Its facts are kept after the artifact and its job are removed.
 */
const LINEAGE = `
CREATE TABLE job_image (
  artifact_id TEXT NOT NULL PRIMARY KEY,
  seq INTEGER NOT NULL REFERENCES job (seq) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_image_of_job ON job_image (seq);
INSERT INTO job_image (artifact_id, seq, position)
SELECT value ->> '$.id', seq, key FROM job, json_each(artifacts) WHERE true
ON CONFLICT DO NOTHING;
CREATE TABLE job_parent (
  seq INTEGER NOT NULL REFERENCES job (seq) ON DELETE CASCADE,
  scope TEXT NOT NULL,
  position INTEGER NOT NULL CHECK (position >= 0),
  artifact_id TEXT NOT NULL,
  name TEXT NOT NULL,
  width INTEGER NOT NULL CHECK (width > 0),
  height INTEGER NOT NULL CHECK (height > 0),
  created INTEGER NOT NULL,
  parent_id TEXT,
  parent_image INTEGER CHECK (parent_image >= 0),
  PRIMARY KEY (seq, position),
  CHECK ((parent_id IS NULL) = (parent_image IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX job_children ON job_parent (scope, parent_id, seq) WHERE parent_id IS NOT NULL;
`;

/** Adds the batches that can be undone. "jobs" is a JSON list of the changed jobs with their values before the batch. */
const BATCHES = `
CREATE TABLE job_batch (
  id TEXT NOT NULL PRIMARY KEY,
  scope TEXT NOT NULL,
  action TEXT NOT NULL,
  jobs TEXT NOT NULL,
  expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX job_batch_of_scope ON job_batch (scope, id);
CREATE INDEX job_batch_age ON job_batch (expires);
`;

/** Adds the titles of presets, which people see instead of the names. */
const PRESET_TITLES = 'ALTER TABLE preset ADD COLUMN title TEXT;';

/** Adds the group of a job, and the place of the job in the group. */
const GROUPS = `
ALTER TABLE job ADD COLUMN group_id TEXT;
ALTER TABLE job ADD COLUMN group_row INTEGER CHECK (group_row BETWEEN 0 AND 999);
ALTER TABLE job ADD COLUMN group_column INTEGER CHECK (group_column BETWEEN 0 AND 999);
CREATE INDEX job_group ON job (scope, group_id, seq) WHERE group_id IS NOT NULL;
`;

/**
 * Adds the favourite mark that was set on the job itself, because a favourite image also sets "favorite". Earlier versions did not
 * distinguish the two marks, so a job with a favourite image counts as a favourite because of the image.
 */
const OWN_FAVORITE = `
ALTER TABLE job ADD COLUMN own_favorite INTEGER NOT NULL DEFAULT 0 CHECK (own_favorite IN (0, 1));
UPDATE job SET own_favorite = 1
WHERE favorite = 1 AND instr(artifacts, '"favorite":true') = 0;
`;

/** Adds the index over the facts by which jobs are filtered and counted. The columns are those of the filters. */
const FACTS = `
CREATE INDEX job_facts ON job (
  scope, seq, created, status, favorite, deleted, provider, model, operation, size
);
`;

/** Adds the index that finds the retries of a job. */
const RETRIES = `
CREATE INDEX job_retries ON job_content (retry_of, seq) WHERE retry_of IS NOT NULL;
`;

/**
 * Adds the usage of models. "usage" has the counts of all models of a provider, so the counts without a row in "usage_model" belong
 * to models that were not recorded. "model_name" and "model" are NULL for calls of earlier versions.
 */
const MODELS = `
CREATE TABLE usage_model (
  token TEXT NOT NULL,
  day INTEGER NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  images INTEGER NOT NULL CHECK (images >= 0),
  lost INTEGER NOT NULL CHECK (lost BETWEEN 0 AND images),
  unknown INTEGER NOT NULL CHECK (unknown >= 0),
  failed INTEGER NOT NULL CHECK (failed >= 0),
  tokens INTEGER CHECK (tokens >= 0),
  cost INTEGER NOT NULL CHECK (cost >= 0),
  basis INTEGER NOT NULL CHECK (basis BETWEEN 0 AND 3),
  unpriced INTEGER NOT NULL CHECK (unpriced >= 0),
  PRIMARY KEY (token, day, provider, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_of_day ON usage (day);
CREATE INDEX usage_model_of_day ON usage_model (day);
ALTER TABLE ledger_row ADD COLUMN model_name TEXT;
ALTER TABLE billed_call ADD COLUMN model TEXT;
`;

/** The SQL texts of all migrations, beginning with an empty database. A released text is never edited or moved. */
export const MIGRATIONS: readonly string[] = [
  SCHEMA,
  CANCELLATION,
  TICKETS,
  MONEY,
  BILLING,
  LABELS,
  PROVENANCE,
  LINEAGE,
  BATCHES,
  PRESET_TITLES,
  GROUPS,
  OWN_FAVORITE,
  FACTS,
  RETRIES,
  MODELS,
];

/** The schema that this program reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Migrates the database to the newest schema. All migrations, the new version and `finish` run in one transaction, because
 * separate transactions would need one disk sync each, which would take most of the time of a first start. A failed migration
 * leaves the database unchanged. Throws `configuration` if a migration fails or the schema is newer.
 */
export function migrate(
  connection: Connection,
  migrations = MIGRATIONS,
  finish: () => void = () => {},
): void {
  const present = schemaVersion(connection);
  refuseNewerSchema(present, migrations.length);
  if (present === migrations.length) return;
  prepareToMigrate(connection);
  const transaction = connection.transaction(() => {
    for (const [index, sql] of migrations.entries()) {
      if (index >= present) migrateOnce(connection, sql, index + 1);
    }
    setSchemaVersion(connection, migrations.length);
    finish();
  });
  transaction.immediate();
}

/** Throws `configuration` if neither this version nor an older version of the program can have created this schema. */
export function refuseNewerSchema(version: number, newest = SCHEMA_VERSION): void {
  if (version < 0 || version > newest) {
    throw new BridgeError(
      'configuration',
      `state.directory: the database has schema ${version}, newer than ${newest}, the newest that this version supports; use a newer version of the bridge`,
    );
  }
}

function migrateOnce(connection: Connection, sql: string, version: number): void {
  try {
    connection.exec(sql);
    if (hasOrphans(connection)) throw new Error('a row has no parent');
  } catch (cause) {
    throw new BridgeError(
      'configuration',
      `state.directory: migration ${version} of the database failed; the data is unchanged`,
      { cause },
    );
  }
}
