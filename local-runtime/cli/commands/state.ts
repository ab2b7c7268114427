import { resolve } from 'node:path';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { inspectState } from '../../../lib/storage/inspect-state.ts';
import { refuseLostState } from '../../../lib/storage/open-stores.ts';
import type { StateInspection } from '../../../lib/storage/state-inspection-port.ts';
import { lockStateDirectory } from '../../server/locks/state-lock.ts';
import type { Call } from '../command-table/command.ts';
import type { ConfigurationOptions } from '../command-table/options.ts';
import { withConfig } from '../with-config.ts';

const PAUSED = `The queue is paused, because the queued jobs may have run since the backup was made.
Start the bridge, cancel the jobs that have already run, then use: image-bridge queue resume
`;

type StateCall<Arguments = unknown> = Call<Arguments, ConfigurationOptions>;

export function runStateCheck(call: StateCall): Promise<number> {
  return withConfig(call, async (config) => {
    const findings = await (await inspectState(config, call.io.env)).check();
    const sentences = findings.length > 0 ? findings : ['The database is valid.'];
    call.io.stdout(sentences.map((sentence) => `${sentence}\n`).join(''));
    return findings.length > 0 ? 1 : 0;
  });
}

export function runStateBackup(call: StateCall<{ readonly file: string }>): Promise<number> {
  return withConfig(call, async (config) => {
    const { backUp } = await inspectState(config, call.io.env);
    if (await backUp(resolve(call.io.cwd, call.args.file))) return 0;
    call.io.stderr('image-bridge: the backup file already exists\n');
    return 1;
  });
}

export function runStateRestore(call: StateCall<{ readonly file: string }>): Promise<number> {
  return withConfig(call, async (config) => {
    const inspection = await inspectState(config, call.io.env);
    return underLock(inspection, async () => {
      const replaced = await inspection.restore(resolve(call.io.cwd, call.args.file));
      const kept = replaced === undefined ? '' : ` The replaced database is kept as ${replaced}.`;
      call.io.stdout(`The database was restored.${kept}\n${PAUSED}`);
      return 0;
    });
  });
}

/** Migrates the database to the newest schema that `inspect` knows. Resolves with the exit code. */
export function runStateMigrate(
  call: Call<unknown, ConfigurationOptions & { readonly dryRun: boolean }>,
  inspect: typeof inspectState = inspectState,
): Promise<number> {
  const { options, io } = call;
  return withConfig(call, async (config) => {
    await refuseLostState(config, io.env);
    const inspection = await inspect(config, io.env);
    const { present, newest } = await inspection.schema();
    if (present === undefined) {
      io.stdout('The database does not exist yet. The first start creates the database.\n');
      return 0;
    }
    if (present === newest) {
      io.stdout(`The database already has the newest schema, ${newest}.\n`);
      return 0;
    }
    if (options.dryRun) {
      const problems = await inspection.tryMigration();
      for (const problem of problems) io.stdout(`${problem}\n`);
      if (problems.length > 0) return 1;
      io.stdout(`A copy was migrated from schema ${present} to ${newest} and is valid.\n`);
      return 0;
    }
    return underLock(inspection, async () => {
      const copy = await inspection.migrate();
      const kept = copy === undefined ? '' : ` ${copy} is a copy of the old database.`;
      io.stdout(`The database was migrated to schema ${newest}.${kept}\n`);
      return 0;
    });
  });
}

/**
 * Runs `work` with the state directory locked, if the state has one. Throws `configuration` if another process uses the directory.
 */
export async function underLock<T>(
  { lockedFolder }: StateInspection,
  work: () => Promise<T>,
): Promise<T> {
  if (lockedFolder === undefined) return work();
  const lock = lockStateDirectory(lockedFolder);
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
