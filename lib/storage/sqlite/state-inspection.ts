import { resolve } from 'node:path';
import type { Config } from '../../config/settings/settings.ts';
import { systemClock } from '../../platform/clock.ts';
import { createIds } from '../../platform/ids.ts';
import type { StateInspection } from '../state-inspection-port.ts';
import { createArtifactStore } from './artifact-store.ts';
import {
  isEmptyDatabase,
  openStateDatabase,
  refuseForeignDatabase,
  schemaCopyName,
  stateDatabaseFile,
} from './database.ts';
import {
  copyState,
  findBrokenPages,
  findProblems,
  findSchema,
  rehearseMigration,
} from './inspect-state.ts';
import { createJobInputs } from './jobs/job-list.ts';
import { MIGRATIONS } from './migrations.ts';
import { moveIn, moveOut } from './move-state.ts';
import { restoreState } from './restore-state.ts';
import { openStateReader } from './state-reader.ts';

/** Inspects the SQLite database in this directory. The database is opened on the caller's thread. */
export function createSqliteInspection(
  { directory }: Pick<Config['state'], 'directory'>,
  migrations: readonly string[] = MIGRATIONS,
): StateInspection {
  const file = stateDatabaseFile(directory);

  return {
    lockedFolder: directory,
    restoreCommand: 'image-bridge state restore FILE',
    refuseForeign: async () => refuseForeignDatabase(file),
    findLoss: async () =>
      isEmptyDatabase(file) ? `the database ${resolve(file)} is empty` : undefined,
    schema: async () => ({ present: findSchema(file), newest: migrations.length }),
    quickCheck: async () => findBrokenPages(file),
    check: async () => findProblems(file),
    backUp: async (target) => copyState(file, target),
    restore: async (source) => restoreState(file, source),
    tryMigration: async () => rehearseMigration(file, migrations),
    async migrate() {
      const present = findSchema(file);
      const ids = createIds(systemClock.nowMs);
      await openStateDatabase({ file, ids, migrations }).close();
      return present === undefined || present === migrations.length
        ? undefined
        : schemaCopyName(present);
    },
    async openReader() {
      const reader = openStateReader(file);
      return (
        reader && {
          artifacts: createArtifactStore(reader),
          jobs: createJobInputs(reader),
          close: async () => reader.close(),
        }
      );
    },
    moveOut: (work) => moveOut(file, work),
    moveIn: (work) => moveIn(file, createIds(systemClock.nowMs), work),
  };
}
