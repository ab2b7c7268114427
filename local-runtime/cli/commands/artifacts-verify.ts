import { type ArtifactProblem, verifyArtifacts } from '../../../lib/artifacts/verify-artifacts.ts';
import type { Config } from '../../../lib/config/settings/settings.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { type InputProblem, verifyStoredInputs } from '../../../lib/inputs/verify-stored-inputs.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { createTimeSlices } from '../../../lib/platform/time-slices.ts';
import { openArtifactReader } from '../../../lib/storage/read-artifacts.ts';
import type { CommandIo } from '../command-io.ts';
import type { Call } from '../command-table/command.ts';
import type { ConfigurationOptions, JsonOption } from '../command-table/options.ts';
import { withConfig } from '../with-config.ts';

const NOTHING = { artifacts: 0, sidecars: 0, bytes: 0, inputs: 0, problems: 0 };

type Problem = ArtifactProblem | InputProblem;

export function runArtifactsVerify({
  options,
  io,
}: Call<unknown, ConfigurationOptions & JsonOption>): Promise<number> {
  return withConfig({ options, io }, async (config) => {
    const report = options.json ? jsonReport(io) : textReport(io);
    const counts = await verify(config, io.env, report.problem);
    report.end(counts);
    return counts.problems === 0 ? 0 : 1;
  });
}

async function verify(
  config: Config,
  env: CommandIo['env'],
  onProblem: (problem: Problem) => void,
): Promise<typeof NOTHING> {
  const clock = systemClock;
  const reader = await openArtifactReader(config, { clock, env });
  if (!reader) return NOTHING;
  const slices = createTimeSlices(clock);
  const engine = createImageEngine({ limits: config.images, clock, slices });
  try {
    const { artifacts: store, files, jobs, inputFiles } = reader;
    const { signal } = new AbortController();
    const verified = await verifyArtifacts({ store, files, engine }, onProblem, signal);
    const { listInputs: list, needsInput: isNeeded } = jobs;
    const deps = { list, isNeeded, files: inputFiles, engine };
    const { inputs, problems } = await verifyStoredInputs(deps, onProblem, signal);
    return { ...verified, inputs, problems: verified.problems + problems };
  } finally {
    await engine.close();
    await reader.close();
  }
}

interface Report {
  problem(problem: Problem): void;
  end(counts: typeof NOTHING): void;
}

function textReport({ stdout }: CommandIo): Report {
  return {
    problem(found) {
      const { problem, fault } = found;
      const file = 'input' in found ? `input ${found.input}` : `${found.id} ${found.name}`;
      // A name that someone edited in the database must not send control sequences to the terminal.
      const portable = file.replace(/[^\w ./-]/g, '?');
      stdout(`${problem}${fault === undefined ? '' : ` (${fault})`}: ${portable}\n`);
    },
    end({ artifacts, sidecars, bytes, inputs, problems }) {
      stdout(`Checked ${artifacts} artifacts (${bytes} bytes) and ${sidecars} sidecars.\n`);
      stdout(`Checked ${inputs} input images of jobs.\n`);
      stdout(problems === 0 ? 'All images are unchanged.\n' : `Problems: ${problems}.\n`);
    },
  };
}

/** Creates a report that writes its JSON object piece by piece, because the list of problems may be long. */
function jsonReport({ stdout }: CommandIo): Report {
  let before = '{"problems":[\n';
  return {
    problem(problem) {
      stdout(`${before}${JSON.stringify(problem)}\n`);
      before = ',';
    },
    end({ problems, ...counts }) {
      const head = problems === 0 ? before : '';
      stdout(`${head}],"ok":${problems === 0},${JSON.stringify(counts).slice(1)}\n`);
    },
  };
}
