import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { createHttpClient } from '../../../../dist/lib/net/http-client.js';
import { systemClock } from '../../../../dist/lib/platform/clock.js';
import { createIds } from '../../../../dist/lib/platform/ids.js';
import { createCredentialSource } from '../../../../dist/lib/providers/credentials/credential-source.js';

/**
 * A process beside the test: `node credential-caller.mjs HOME TOKEN_ENDPOINT CALLS`. It writes a line, waits for one,
 * makes so many calls at once, writes a line when they are under way, then the access token of each. Without CALLS it
 * makes one after the other for ever, to be killed, and writes the access token of each.
 */
const [home = '', tokenEndpoint = '', calls] = process.argv.slice(2);

const httpClient = createHttpClient();
const clock = systemClock;
const ids = createIds(clock.nowMs);
const source = createCredentialSource({ home, tokenEndpoint, httpClient, clock, ids });

function call() {
  return source.current(new AbortController().signal);
}

function write(line) {
  return new Promise((resolve) => process.stdout.write(`${line}\n`, resolve));
}

async function callAtOnce(count) {
  await write('ready');
  await once(process.stdin, 'data');
  const work = Array.from({ length: count }, call);
  for (let turns = 0; turns < 100; turns += 1) await turn();
  await write('under way');
  for (const { accessToken } of await Promise.all(work)) await write(accessToken);
  await source.close();
  await httpClient.close();
  process.exit(0);
}

if (calls !== undefined) await callAtOnce(Number(calls));
else for (;;) await write((await call()).accessToken);
