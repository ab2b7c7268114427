import { copyArtifacts } from '../../../lib/artifacts/copy-artifacts.ts';
import type { Config } from '../../../lib/config/settings/settings.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { copyStoredInputs } from '../../../lib/inputs/copy-stored-inputs.ts';
import { type Clock, systemClock } from '../../../lib/platform/clock.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { inspectState } from '../../../lib/storage/inspect-state.ts';
import { moveState } from '../../../lib/storage/move-state.ts';
import { openFiles } from '../../../lib/storage/open-files.ts';
import type { MoveSource } from '../../../lib/storage/state-move-port.ts';
import type { CommandIo } from '../command-io.ts';
import type { Call } from '../command-table/command.ts';
import type { ConfigurationOptions } from '../command-table/options.ts';
import { printable } from '../terminal.ts';
import { withConfig } from '../with-config.ts';
import { underLock } from './state.ts';

interface Options extends ConfigurationOptions {
  readonly to: string;
  readonly skipDamaged: boolean;
}

/** The two configurations of a move. */
interface Sides {
  readonly source: Config;
  readonly target: Config;
}

const clock = systemClock;

/** Moves the state and all images from one configuration to another. Resolves with the exit code. */
export function runStateMove({ options, io }: Call<unknown, Options>): Promise<number> {
  return withConfig({ options, io }, (source) =>
    withConfig({ options: { config: options.to, set: [] }, io }, (target) =>
      move({ source, target }, options, io),
    ),
  );
}

async function move(
  { source, target }: Sides,
  { skipDamaged }: Pick<Options, 'skipDamaged'>,
  io: CommandIo,
): Promise<number> {
  const { driver } = source.state;
  if (driver === target.state.driver) {
    throw new BridgeError(
      'configuration',
      `state.driver: both configurations have "${driver}", but a move needs one SQLite and one PostgreSQL configuration; to copy a state, use a backup`,
    );
  }
  const from = await inspectState(source, io.env);
  const to = await inspectState(target, io.env);
  const progress = startProgress(io, clock);
  const rows = await underLock(from, () =>
    underLock(to, () =>
      moveState(from, to, {
        async moveFiles(state, signal) {
          const report = { progress, io };
          const damaged = await copyFiles({ source, target }, state, report, signal);
          if (damaged > 0 && !skipDamaged) throw damagedFiles(damaged);
        },
        onRows: (table, count) => progress(`rows of ${table}`, count),
      }),
    ),
  );
  io.stdout(`${rows} rows were moved, and every row and file was verified.
The queue of the source is paused, so that no job runs twice.
The files and environment variables that the configuration names were not moved. The target needs the same tokens,
because jobs and images belong to tokens${tokensFile(source)}.
`);
  return 0;
}

function tokensFile({ server }: Config): string {
  return server.tokens_file === undefined ? '' : `: copy ${printable(server.tokens_file)}`;
}

/** Copies the artifacts and the input images. Resolves with the number of files that are missing or damaged in the source. */
async function copyFiles(
  { source, target }: Sides,
  state: MoveSource,
  { progress, io }: { readonly progress: Progress; readonly io: CommandIo },
  signal: AbortSignal,
): Promise<number> {
  const outside = { clock, ids: createIds(clock.nowMs) };
  const from = await openFiles(source, { ...outside, isReadOnly: true });
  try {
    const to = await openFiles(target, outside);
    let copied = 0;
    let damaged = 0;
    const onFiles = (count: number) => {
      copied += count;
      progress('files', copied);
    };
    const onProblem = (name: string) => {
      damaged += 1;
      io.stderr(`missing or damaged: ${printable(name)}\n`);
    };
    try {
      await copyArtifacts(
        {
          store: state.artifacts,
          listIntents: state.listIntents,
          source: from.artifactFiles,
          target: to.artifactFiles,
        },
        { onFiles, onProblem: ({ name }) => onProblem(name) },
        signal,
      );
      await copyStoredInputs(
        { list: state.jobs.listInputs, source: from.storedInputs, target: to.storedInputs },
        { onFiles, onProblem: (sha256) => onProblem(`input ${sha256}`) },
        signal,
      );
    } finally {
      to.close();
    }
    return damaged;
  } finally {
    from.close();
  }
}

function damagedFiles(count: number): BridgeError {
  return new BridgeError(
    'configuration',
    `${count} files of the source are missing or damaged; restore the files, or use --skip-damaged to move without the files`,
  );
}

type Progress = ReturnType<typeof startProgress>;

const EVERY_MS = 5000;

/** Creates a function that prints a line every few seconds. */
function startProgress({ stderr }: Pick<CommandIo, 'stderr'>, { monotonicMs }: Clock) {
  let last = monotonicMs();
  return (what: string, count: number): void => {
    if (monotonicMs() - last < EVERY_MS) return;
    last = monotonicMs();
    stderr(`${count} ${what} copied\n`);
  };
}
