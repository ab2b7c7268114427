import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../../lib/app.ts';
import { ImageRequest } from '../../../lib/contract/request/image-request.ts';
import { appServer } from '../../lib/generation/capability-documents.ts';
import { image } from '../../lib/generation/images.ts';
import { openApp } from '../../support/open-app.ts';
import { requestContext } from '../../support/request-context.ts';
import { createScriptedProvider, replyWith } from '../../support/scripted-provider.ts';

const NAME = 'agent-app-server';
const forever = new AbortController().signal;

let folder: string;
let app: App;
/** The state that all processes of the agent share. */
let threads: Set<string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sessions-'));
  threads = new Set();
  app = await start();
});
afterEach(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

async function start(): Promise<App> {
  const png = await image({});
  const reply = replyWith(png);
  const agent = createScriptedProvider({ name: NAME, capabilities: appServer, threads, reply });
  return openApp({ folder, providers: [agent], defaultProvider: NAME });
}

async function restart(): Promise<void> {
  await app.close();
  app = await start();
}

const requestWith = (session: object) =>
  v.parse(ImageRequest, { prompt: 'a fox', session, output: { response_format: 'artifact' } });

/** Returns the session of the reply to a request. */
async function create(session: object) {
  const served = await app.services.imageRequests.serve(
    requestWith(session),
    requestContext({ operationId: 'createImage' }),
  );
  if (served.accepted) throw new Error('a job was not asked for');
  return served.value.session;
}

/** Returns the session of the result of a job. */
async function runJob(session: object) {
  const context = requestContext({ operationId: 'createJob' });
  const { job } = await app.services.jobs.submit(requestWith(session), context);
  await app.worker.runNext(forever);
  return (await app.services.jobs.find(context.scope, job.id, 0, forever)).result?.session;
}

const KEYED = { mode: 'persistent', key: 'storyboard' };

describe('sessions', () => {
  it('continue after a restart, by key and by thread', async () => {
    const first = await create(KEYED);
    await restart();

    const byKey = await create(KEYED);
    const byThread = await create({ mode: 'thread', thread_id: first?.thread_id });

    expect(first?.reused).toBe(false);
    expect(byKey).toEqual({ ...first, reused: true });
    expect(byThread).toEqual({ thread_id: first?.thread_id, reused: true });
    expect(threads.size).toBe(1);
  });

  it('are the same for jobs and for synchronous requests', async () => {
    const first = await runJob(KEYED);
    const second = await create(KEYED);

    expect(first).toMatchObject({ key: 'storyboard', reused: false });
    expect(second).toEqual({ ...first, reused: true });
  });

  it('are deleted with their threads, which no request can use afterwards', async () => {
    const first = await create(KEYED);
    const id = { scope: 'anonymous', provider: NAME, key: 'storyboard' };

    await app.services.sessions.remove(id, forever);

    expect(threads.size).toBe(0);
    const byThread = create({ mode: 'thread', thread_id: first?.thread_id });
    await expect(byThread).rejects.toMatchObject({ code: 'session_not_found' });
    await expect(app.services.sessions.get(id)).rejects.toMatchObject({
      code: 'session_not_found',
    });
  });
});
