import { resolve } from 'node:path';
import type { Config } from '../../../lib/config/settings/settings.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import {
  backUpState,
  checkState,
  migrateState,
  restoreState,
  stateSchema,
  tryMigration,
} from '../../../lib/storage/inspect-state.ts';
import { lockStateDirectory } from '../../server/locks/state-lock.ts';
import type { Call } from '../command-table/command.ts';
import type { ConfigurationOptions } from '../command-table/options.ts';
import { withConfig } from '../with-config.ts';

const PAUSED = `The queue is paused, because the queued jobs may have run since the backup was made.
Start the bridge, cancel the jobs that have already run, then use: image-bridge queue resume
`;

type StateCall<Arguments = unknown> = Call<Arguments, ConfigurationOptions>;

export function runStateCheck(call: StateCall): Promise<number> {
  return withConfig(call, (config) => {
    const findings = checkState(config);
    const sentences = findings.length > 0 ? findings : ['The database is valid.'];
    call.io.stdout(sentences.map((sentence) => `${sentence}\n`).join(''));
    return findings.length > 0 ? 1 : 0;
  });
}

export function runStateBackup(call: StateCall<{ readonly file: string }>): Promise<number> {
  return withConfig(call, (config) => {
    if (backUpState(config, resolve(call.io.cwd, call.args.file))) return 0;
    call.io.stderr('image-bridge: the backup file already exists\n');
    return 1;
  });
}

export function runStateRestore(call: StateCall<{ readonly file: string }>): Promise<number> {
  return withConfig(call, (config) =>
    underLock(config, () => {
      const replaced = restoreState(config, resolve(call.io.cwd, call.args.file));
      const kept = replaced === undefined ? '' : ` The replaced database is kept as ${replaced}.`;
      call.io.stdout(`The database was restored.${kept}\n${PAUSED}`);
      return 0;
    }),
  );
}

/** Migrates the database to the newest schema in `migrations`. Resolves with the exit code. */
export function runStateMigrate(
  call: Call<unknown, ConfigurationOptions & { readonly dryRun: boolean }>,
  migrations?: readonly string[],
): Promise<number> {
  const { options, io } = call;
  return withConfig(call, async (config) => {
    const { present, newest } = stateSchema(config, migrations);
    if (present === undefined) {
      io.stdout('The database does not exist yet. The first start creates the database.\n');
      return 0;
    }
    if (present === newest) {
      io.stdout(`The database already has the newest schema, ${newest}.\n`);
      return 0;
    }
    if (options.dryRun) {
      const problems = tryMigration(config, migrations);
      for (const problem of problems) io.stdout(`${problem}\n`);
      if (problems.length > 0) return 1;
      io.stdout(`A copy was migrated from schema ${present} to ${newest} and is valid.\n`);
      return 0;
    }
    return underLock(config, async () => {
      await migrateState(config, createIds(systemClock.nowMs), migrations);
      io.stdout(
        `The database was migrated to schema ${newest}. bridge.schema-${present}.sqlite is a copy of the old database.\n`,
      );
      return 0;
    });
  });
}

/** Runs `work` with the state directory locked. Throws `configuration` if another process uses the directory. */
async function underLock<T>({ state }: Config, work: () => T | Promise<T>): Promise<T> {
  const lock = lockStateDirectory(state.directory);
  if (!lock.ok) {
    const message = `state.directory: ${lock.holder}; stop the bridge first`;
    throw new BridgeError('configuration', message);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}
