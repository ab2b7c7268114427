import { Writable } from 'node:stream';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { Generation } from '../../../lib/generation/generation.ts';
import { createImageRequests } from '../../../lib/image-requests/image-requests.ts';
import { createTraceLog } from '../../../lib/log/trace-log.ts';
import { answerWith, type Script } from '../../support/scripted-provider.ts';
import { type GenerationRig, openGenerationRig } from '../generation/generation-rig.ts';
import { picture } from '../generation/pictures.ts';
import { inlineBytes, wireRequestOf } from '../generation/requests.ts';

const trace = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const asArtifact = { output: { response_format: 'artifact', filename: 'boat.png' } };
const gone = new BridgeError('cancelled', 'the client has left');

const rigs: GenerationRig[] = [];
let png = Buffer.alloc(0);

beforeAll(async () => {
  png = await picture();
});
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

describe('createImageRequests', () => {
  it('answers with the pictures', async () => {
    const { create } = await open();

    const response = await create();

    expect(response).toMatchObject({ id: 'request-1', provider: 'scripted' });
    expect(response.data).toHaveLength(1);
  });

  it('makes what was published its owner’s before anybody hears of it', async () => {
    const { create, artifacts } = await open();

    const { data } = await create(asArtifact);

    const id = data[0] && 'id' in data[0] ? data[0].id : '';
    await expect(artifacts.store.find('anonymous', id)).resolves.toMatchObject({
      id,
      name: 'boat.png',
    });
    await expect(artifacts.store.find('another', id)).resolves.toBeUndefined();
  });

  it('removes what was published for a client that left before it was owned', async () => {
    const { create, context, artifacts } = await open({}, (real) => ({
      run(...given) {
        const running = real.run(...given);
        const result = running.result.then((it) => {
          context.leave(gone);
          return it;
        });
        return { ...running, result };
      },
    }));

    await expect(create(asArtifact)).rejects.toBe(gone);

    expect(await artifacts.onDisk()).toEqual({});
    await expect(artifacts.store.listPending()).resolves.toEqual([]);
  });

  it('removes what was published when nobody can be made its owner', async () => {
    const refusal = new BridgeError('overloaded', 'the store refuses to write');
    const { create, artifacts } = await open({}, undefined, () => Promise.reject(refusal));

    await expect(create(asArtifact)).rejects.toBe(refusal);

    expect(await artifacts.onDisk()).toEqual({});
    await expect(artifacts.store.listPending()).resolves.toEqual([]);
  });

  it('publishes and owns nothing when the pictures go into the answer', async () => {
    let commits = 0;
    const { create } = await open({}, undefined, async () => {
      commits += 1;
    });

    await create();

    expect(commits).toBe(0);
  });

  it('reads the events away, so that no partial image waits for a reader who never comes', async () => {
    let read = 0;
    const { create } = await open(
      {
        answer(call) {
          for (const partialIndex of [0, 1, 2]) {
            const partial = { type: 'partial_image', index: 0, partialIndex, bytes: png } as const;
            call.context.onEvent(partial);
          }
          answerWith(png)(call);
        },
      },
      (real) => ({
        run(...given) {
          const running = real.run(...given);
          async function* counted() {
            for await (const event of running.events) {
              read += 1;
              yield event;
            }
          }
          return { ...running, events: counted() };
        },
      }),
    );

    await create({ parameters: { partial_images: 3 } });

    expect(read).toBe(7);
  });

  it.each([
    ['in the body', 'a-key', undefined],
    ['in the header', null, 'a-key'],
  ])('refuses an idempotency key %s, which it could not honour', async (_, inBody, inHeader) => {
    const { create, provider } = await open();

    await expect(create({ idempotency_key: inBody }, inHeader)).rejects.toMatchObject({
      code: 'unsupported_capability',
      param: 'idempotency_key',
    });
    expect(provider.calls).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['a picture that is none', { operation: 'edit', images: [inlineBytes(9)] }, 'input'],
    ['an unknown provider', { routing: { provider: 'nobody' } }, 'invalid_request'],
    ['an unknown model', { routing: { model: 'unheard-of' } }, 'unsupported_capability'],
  ])('refuses %s', async (_, sent, code) => {
    const { create } = await open();

    await expect(create(sent)).rejects.toMatchObject({ code });
  });
});

describe('createImageRequests, log', () => {
  it('tells of a success that it began and how it ended, and nothing of its content', async () => {
    const { create, lines } = await open();

    await create({ prompt: 'a secret boat', user: 'secret-user', metadata: { a: 'secret' } });

    const common = {
      level: 'INFO',
      time: expect.any(String),
      trace_id: trace.traceId,
      span_id: trace.spanId,
      request_id: 'request-1',
    };
    expect(lines()).toEqual([
      { ...common, event: 'image_operation_started' },
      { ...common, event: 'image_operation_succeeded', provider: 'scripted' },
    ]);
  });

  it('tells of a failure its code, its provider and whether it may be repeated', async () => {
    const { create, lines } = await open({
      answer: (call) =>
        call.fail(
          new BridgeError('provider_authentication', 'the secret login has expired', {
            details: { path: 'secret' },
          }),
        ),
    });

    await expect(create({ prompt: 'a secret boat' })).rejects.toMatchObject({
      code: 'provider_authentication',
    });

    expect(lines().at(-1)).toMatchObject({
      event: 'image_operation_failed',
      provider: 'scripted',
      error_code: 'authentication',
      retryable: false,
    });
    expect(JSON.stringify(lines())).not.toContain('secret');
  });

  it('tells of a refusal that came before any provider', async () => {
    const { create, lines } = await open();

    await create({ routing: { provider: 'nobody' } }).catch(() => {});

    expect(lines().map(({ event }) => event)).toEqual([
      'image_operation_started',
      'image_operation_failed',
    ]);
    expect(lines()[1]).toMatchObject({ error_code: 'invalid_request' });
    expect(lines()[1]).not.toHaveProperty('provider');
  });
});

async function open(
  script: Partial<Script> = {},
  wrap: (generation: Generation) => Generation = (generation) => generation,
  commit?: () => Promise<void>,
) {
  const rig = await openGenerationRig({ answer: (call) => answerWith(png)(call), ...script });
  rigs.push(rig);
  const { publisher } = rig.artifacts;
  const stderr = createRecorder();
  const context = rig.newContext();
  const imageRequests = createImageRequests({
    generation: wrap(rig.generation),
    publisher: commit ? { ...publisher, commit } : publisher,
    log: createTraceLog(stderr),
    maxInputBytes: 1_000_000,
  });
  return {
    ...{ context, provider: rig.provider, artifacts: rig.artifacts },
    create: (sent: object = {}, idempotencyKey?: string) =>
      imageRequests.create(wireRequestOf(sent), { ...context, trace, idempotencyKey }),
    lines: (): Record<string, unknown>[] => stderr.lines().map((line) => JSON.parse(line)),
  };
}

function createRecorder(): Writable & { lines(): string[] } {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString('utf8');
      done();
    },
  });
  return Object.assign(stream, { lines: () => text.split('\n').slice(0, -1) });
}
