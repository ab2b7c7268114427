import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createResponsesUpstream } from '../../support/responses-upstream/responses-upstream.ts';
import type { Bench } from '../measure/bench.ts';
import { ask } from '../measure/server-process.ts';
import { inMs, median } from '../measure/statistics.ts';
import type { ReaderResult, ReaderTask } from '../programs/stream-meter.ts';
import type { CallerOptions } from '../programs/turn-caller.ts';

const PROGRAM = fileURLToPath(new URL('../programs/turn-caller.js', import.meta.url));
// Three bytes a pixel, not compressed: 3 MB.
const EDGE_PX = 1024;
const ONE_BY_ONE: ReaderTask = { images: 20, atOnce: 1 };
const PARALLEL: ReaderTask = { images: 64, atOnce: 8 };

/** Turns of a stand-in for the agent whose process already runs. */
export const agentTurns: Bench = {
  name: 'agent-turns',
  async run({ rounds, folder }) {
    const upstream = await createResponsesUpstream();
    const children: ChildProcess[] = [];
    const caller = async (kind: CallerOptions['kind']) => {
      const home = await mkdtemp(join(folder, 'login-'));
      await upstream.writeLogin(home);
      const { tokenUrl } = upstream;
      const wanted: CallerOptions = { home, tokenUrl, edgePx: EDGE_PX, kind };
      const child = fork(PROGRAM, [JSON.stringify(wanted)]);
      children.push(child);
      await once(child, 'message');
      return (task: ReaderTask) => turns(child, task);
    };
    try {
      const provider = await caller('provider');
      const plain = await caller('plain');
      for (const warmUp of [provider, plain]) await warmUp(ONE_BY_ONE);
      const times = { ours: [] as number[], plain: [] as number[] };
      const parallel: ReaderResult[] = [];
      for (let round = 0; round < rounds; round += 1) {
        times.ours.push((await provider(ONE_BY_ONE)).elapsedMs / ONE_BY_ONE.images);
        times.plain.push((await plain(ONE_BY_ONE)).elapsedMs / ONE_BY_ONE.images);
        parallel.push(await provider(PARALLEL));
      }
      const worstMs = Math.max(...parallel.map(({ loopMaxMs }) => loopMaxMs));
      const p99Ms = median(parallel.map(({ loopP99Ms }) => loopP99Ms));
      const rate = median(parallel.map(({ elapsedMs }) => (PARALLEL.images * 1000) / elapsedMs));
      return [
        {
          what: 'a warm turn of `agent-app-server`, 3 MB',
          ours: inMs(median(times.ours)),
          against: 'the same turn by a client that reads lines and decodes the image',
          theirs: inMs(median(times.plain)),
          budget: 'less than 60 ms more',
        },
        {
          what: `${PARALLEL.atOnce} turns of \`agent-app-server\` at once, 3 MB each`,
          ours: `${rate.toFixed(1)}/s`,
          budget: 'p99 < 20 ms',
          loop: `${p99Ms.toFixed(1)} / ${worstMs.toFixed(0)} ms`,
        },
      ];
    } finally {
      for (const child of children) child.kill('SIGKILL');
      await upstream.close();
    }
  },
};

async function turns(child: ChildProcess, task: ReaderTask): Promise<ReaderResult> {
  const reply = await ask<ReaderResult | { readonly failed: string }>(child, task);
  if ('failed' in reply) throw new Error(reply.failed);
  return reply;
}
