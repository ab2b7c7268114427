import { resolve } from 'node:path';
import type { Config } from '../../lib/config/settings/settings.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import { createIds } from '../../lib/platform/ids.ts';
import {
  backUpState,
  checkState,
  migrateState,
  restoreState,
  stateSchema,
  tryMigration,
} from '../../lib/storage/inspect-state.ts';
import type { Call } from '../command-table/command.ts';
import type { ConfigurationOptions } from '../command-table/configuration-options.ts';
import { lockStateDirectory } from '../locks/state-lock.ts';
import { withConfig } from '../with-config.ts';

const PAUSED = `The queue is paused, because the original may have run the queued jobs since the backup was made.
Start the bridge, cancel the jobs that were made already, then: image-bridge queue resume
`;

type StateCall<Arguments = unknown> = Call<Arguments, ConfigurationOptions>;

/** `image-bridge state check`; a bridge may be serving from the same directory. Resolves to the exit code. */
export function runStateCheck(call: StateCall): Promise<number> {
  return withConfig(call, (config) => {
    const findings = checkState(config);
    const sentences = findings.length > 0 ? findings : ['The state is valid.'];
    call.io.stdout(sentences.map((sentence) => `${sentence}\n`).join(''));
    return findings.length > 0 ? 1 : 0;
  });
}

/** `image-bridge state backup`; a bridge may be serving from the same directory. Resolves to the exit code. */
export function runStateBackup(call: StateCall<{ readonly file: string }>): Promise<number> {
  return withConfig(call, (config) => {
    if (backUpState(config, resolve(call.io.cwd, call.args.file))) return 0;
    call.io.stderr('image-bridge: there is a file of that name already\n');
    return 1;
  });
}

/** `image-bridge state restore`. Resolves to the exit code. */
export function runStateRestore(call: StateCall<{ readonly file: string }>): Promise<number> {
  return withConfig(call, (config) =>
    underLock(config, () => {
      const replaced = restoreState(config, resolve(call.io.cwd, call.args.file));
      const kept = replaced === undefined ? '' : ` The replaced database is kept as ${replaced}.`;
      call.io.stdout(`The state is restored.${kept}\n${PAUSED}`);
      return 0;
    }),
  );
}

/** `image-bridge state migrate`, to the newest of these migrations. Resolves to the exit code. */
export function runStateMigrate(
  call: Call<unknown, ConfigurationOptions & { readonly dryRun: boolean }>,
  migrations?: readonly string[],
): Promise<number> {
  const { options, io } = call;
  return withConfig(call, async (config) => {
    const { present, newest } = stateSchema(config, migrations);
    if (present === undefined) {
      io.stdout('There is no database yet: the first start makes it.\n');
      return 0;
    }
    if (present === newest) {
      io.stdout(`The database has schema ${newest}, the newest: nothing is to be done.\n`);
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
        `The database has schema ${newest} now. bridge.schema-${present}.sqlite is a copy from before.\n`,
      );
      return 0;
    });
  });
}

/** Throws `configuration` while another process uses the state directory. */
async function underLock<T>({ state }: Config, work: () => T | Promise<T>): Promise<T> {
  const lock = lockStateDirectory(state.directory);
  if (!lock.ok) {
    throw new BridgeError(
      'configuration',
      `state.directory: ${lock.holder}; stop the bridge first`,
    );
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}
