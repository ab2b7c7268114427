import type { Bench } from './measure/bench.ts';
import { compare, rateRow } from './measure/compare.ts';

const PATHS = ['/health/live', '/v1/providers'];

/** Small replies of the program as a user starts it, against the same JSON from bare Hono. */
export const smallGets: Bench = {
  name: 'small-gets',
  async run(tools) {
    const program = await tools.startProgram({ command: 'quickstart', folder: tools.folder });
    const rows = [];
    for (const path of PATHS) {
      const reply = await fetch(`http://127.0.0.1:${program.port}${path}`);
      const floor = await tools.start('floor', { kind: 'json', text: await reply.text() });
      const task = { requests: [{ method: 'GET', path } as const], connections: 16, forMs: 1000 };
      const comparison = await compare(tools, { server: program, task }, { server: floor, task });
      rows.push(
        rateRow(comparison, {
          what: `\`GET ${path}\`, 16 connections`,
          against: 'the same JSON from bare Hono',
          budget: '≥ 0.65',
        }),
      );
      await floor.stop();
    }
    await program.stop();
    return rows;
  },
};
