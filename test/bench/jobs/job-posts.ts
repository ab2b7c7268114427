import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../measure/bench.ts';
import { compare, rateRow } from '../measure/compare.ts';

const CLIENTS = 64;
const BODY = JSON.stringify({
  prompt: 'a lighthouse at dusk',
  output: { response_format: 'artifact' },
});
const SETTINGS = [
  'server.jobs.max_pending=10000000',
  'server.jobs.max_database_bytes=1000000000000',
  // The first job occupies the only worker, so that jobs are only accepted.
  'server.jobs.max_running=1',
  'providers.sandbox.enabled=true',
  'providers.sandbox.latency_ms=600000',
  'default_provider=sandbox',
];

/** Jobs accepted over HTTP by the program as a user starts it, against the same reply from bare Hono. */
export const jobPosts: Bench = {
  name: 'job-posts',
  async run(tools) {
    const { folder } = tools;
    const bodyFile = join(folder, 'request.json');
    await writeFile(bodyFile, BODY);
    const program = await tools.startProgram({ command: 'serve', folder, settings: SETTINGS });
    const reply = await fetch(`http://127.0.0.1:${program.port}/v1/jobs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: BODY,
    });
    const floor = await tools.start('floor', { kind: 'accepted', text: await reply.text() });
    const requests = [{ method: 'POST', path: '/v1/jobs', bodyFile } as const];
    const task = { requests, connections: CLIENTS, forMs: 2000 };
    const comparison = await compare(tools, { server: program, task }, { server: floor, task });
    await Promise.all([program.stop(), floor.stop()]);
    return [
      rateRow(comparison, {
        what: `\`POST /v1/jobs\`, durable, ${CLIENTS} connections`,
        against: 'the same JSON from bare Hono, which reads the body and parses nothing',
        budget: '12,000/s',
      }),
    ];
  },
};
