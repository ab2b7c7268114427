import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { query } from '../../support/engines/postgres-server.ts';
import { createSchema, HAS_POSTGRES, type TestSchema } from '../../support/postgres.ts';
import {
  createResponsesUpstream,
  type ResponsesUpstream,
} from '../../support/responses-upstream/responses-upstream.ts';
import {
  cleanUp,
  freshFolder,
  type StartedBridge,
  startBridge,
} from '../../support/start-bridge.ts';
import { agentSettings } from './agent-responses-rig.ts';

const SEAL_KEY = Buffer.alloc(32, 7).toString('base64');
// Longer than any test, so that the token endpoint never answers.
const SILENCE_MS = 600_000;

let schema: TestSchema;
let upstream: ResponsesUpstream;
let home: string;
let artifacts: string;

/** Starts a process. All processes of a test share the database and the folder of the images. */
function startReplica(loginFolder: string): Promise<StartedBridge> {
  return startBridge({
    command: 'serve',
    env: { DATABASE_URL: schema.url, SEAL_KEY },
    set: [
      'state.driver=postgres',
      `state.postgres.schema=${schema.schema}`,
      'state.postgres.max_connections=4',
      'state.seal_key_env=SEAL_KEY',
      'artifacts.driver=folder',
      `artifacts.root=${artifacts}`,
      'artifacts.shared_folder=true',
      ...agentSettings(upstream, loginFolder),
      'providers.agent_responses.credentials=state',
    ],
  });
}

/** Requests an image. Resolves with the status and the code of the error. */
async function ask({ address }: StartedBridge) {
  const response = await fetch(`${address}/v1/images`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'a fox', output: { response_format: 'metadata' } }),
  });
  const { error } = (await response.json()) as { error?: { code: string; message: string } };
  return { status: response.status, code: error?.code, message: error?.message };
}

/** Ends the right to renew the login as time does, a minute after it was taken. */
const endRight = () =>
  query(schema.url, `UPDATE ${schema.schema}.login SET held_until = 0 WHERE holder IS NOT NULL`);

beforeEach(async () => {
  if (!HAS_POSTGRES) return;
  schema = await createSchema();
  upstream = await createResponsesUpstream({
    imageBytes: 30_000,
    imageVariants: 1,
    silenceMs: SILENCE_MS,
  });
  [home, artifacts] = [await freshFolder(), await freshFolder()];
});
afterEach(async () => {
  await cleanUp();
  await upstream?.close();
  await schema?.drop();
});

describe.runIf(HAS_POSTGRES)('a login that two processes share', () => {
  it('is renewed by the other process after the one that renewed it first was killed', async () => {
    upstream.expireAccessToken();
    await upstream.writeLogin(home);
    const one = await startReplica(home);
    const two = await startReplica(await freshFolder());
    expect((await ask(one)).status).toBe(200);
    await one.end('SIGKILL');

    expect((await ask(two)).status).toBe(200);
    expect(upstream.refreshes).toHaveLength(1);
    upstream.revokeAccessToken();
    expect((await ask(two)).status).toBe(200);

    expect(upstream.refreshes.map(({ hasIssued }) => hasIssued)).toEqual([true, true]);
  });

  it('is lost if the process that renews it is killed, and works after the user logs in again', async () => {
    upstream.expireAccessToken();
    await upstream.writeLogin(home);
    const one = await startReplica(home);
    const two = await startReplica(home);
    upstream.scriptToken('hang');
    const broken = ask(one).catch(() => 'the connection broke');
    await expect.poll(() => upstream.refreshes.length).toBe(1);
    await one.end('SIGKILL');
    expect(await broken).toBe('the connection broke');

    const waiting = ask(two);
    await endRight();

    expect(await waiting).toMatchObject({
      code: 'provider_authentication',
      message: expect.stringContaining('its result was not stored; log the agent in again'),
    });
    const again = await startReplica(home);
    expect(await ask(again)).toMatchObject({ code: 'provider_authentication' });
    expect(upstream.refreshes).toHaveLength(1);
    upstream.signInAgain();
    await upstream.writeLogin(home);
    expect([(await ask(two)).status, (await ask(again)).status]).toEqual([200, 200]);
    expect(upstream.refreshes).toHaveLength(1);
  });
});
