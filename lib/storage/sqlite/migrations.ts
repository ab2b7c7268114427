import { BridgeError } from '../../errors/bridge-error.ts';
import {
  type Connection,
  hasOrphans,
  prepareToMigrate,
  schemaVersion,
  setSchemaVersion,
} from './connection.ts';
import { META } from './migrations/0001-meta.ts';
import { ARTIFACT } from './migrations/0002-artifact.ts';
import { ARTIFACT_TOTAL } from './migrations/0003-artifact-total.ts';
import { JOB } from './migrations/0004-job.ts';
import { PRESET } from './migrations/0005-preset.ts';
import { ARTIFACT_SIDECAR } from './migrations/0006-artifact-sidecar.ts';
import { ARTIFACT_AGE } from './migrations/0007-artifact-age.ts';
import { OWNER } from './migrations/0008-owner.ts';
import { SESSION } from './migrations/0009-session.ts';
import { JOB_SUMMARY } from './migrations/0010-job-summary.ts';
import { JOB_CHANGE } from './migrations/0011-job-change.ts';
import { KEPT_INPUT } from './migrations/0012-kept-input.ts';
import { QUEUE } from './migrations/0013-queue.ts';
import { USAGE } from './migrations/0014-usage.ts';
import { SALVAGE } from './migrations/0015-salvage.ts';
import { WEBHOOK } from './migrations/0016-webhook.ts';
import { ACTIVE_TOKEN } from './migrations/0017-active-token.ts';
import { LEDGER } from './migrations/0018-ledger.ts';
import { SCOPE } from './migrations/0019-scope.ts';
import { QUEUED_CHARGE } from './migrations/0020-queued-charge.ts';

/** SQL texts, the first one for an empty database. None is edited or moved once it was released. */
export const MIGRATIONS: readonly string[] = [
  META,
  ARTIFACT,
  ARTIFACT_TOTAL,
  JOB,
  PRESET,
  ARTIFACT_SIDECAR,
  ARTIFACT_AGE,
  OWNER,
  SESSION,
  JOB_SUMMARY,
  JOB_CHANGE,
  KEPT_INPUT,
  QUEUE,
  USAGE,
  SALVAGE,
  WEBHOOK,
  ACTIVE_TOKEN,
  LEDGER,
  SCOPE,
  QUEUED_CHARGE,
];

/** The schema that this program reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Brings the schema up to date: all migrations that are due, their number and what `finish` does in one transaction, as a
 * sync of the disk for each would be most of a first start. A failed one leaves the database as it was. Throws
 * `configuration`.
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

/** Throws `configuration` when the schema is not one that this program, or an older one, has made. */
export function refuseNewerSchema(version: number, newest = SCHEMA_VERSION): void {
  if (version < 0 || version > newest) {
    throw new BridgeError(
      'configuration',
      `state.directory: the database has schema ${version}, newer than ${newest}, the newest that this version knows`,
    );
  }
}

function migrateOnce(connection: Connection, sql: string, version: number): void {
  try {
    connection.exec(sql);
    if (hasOrphans(connection)) throw new Error('a row has lost its parent');
  } catch (cause) {
    throw new BridgeError(
      'configuration',
      `state.directory: migration ${version} of the database failed; its data is untouched`,
      { cause },
    );
  }
}
