import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OutputFormat } from '../../../lib/contract/request/parameters.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { createCredentialThread } from '../../../lib/provenance/credential-thread.ts';
import { type KeyKind, trialCertificates } from '../../support/provenance/certificates.ts';
import {
  createProviderSigner,
  FORMATS,
  GENERATED,
  sampleImage,
} from '../../support/provenance/signed-images.ts';

const { signal } = new AbortController();
const certificates = trialCertificates();
const provider = createProviderSigner(certificates);
const threads: ReturnType<typeof createCredentialThread>[] = [];
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'credentials-'));
});

afterAll(async () => {
  for (const thread of [provider, ...threads]) await thread.close();
  await rm(folder, { recursive: true });
});

function threadWith(options: Partial<Parameters<typeof createCredentialThread>[0]> = {}) {
  const defaults = { clock: systemClock, timeoutMs: 30_000, trustAnchors: () => undefined };
  const thread = createCredentialThread({ ...defaults, ...options });
  threads.push(thread);
  return thread;
}

const checking = threadWith();
const trusting = threadWith({ trustAnchors: () => certificates.anchor });

function validate(bytes: Buffer, format: OutputFormat, thread = checking) {
  return thread.run({ kind: 'validate', image: { bytes, format } }, signal);
}

/** Returns the image with one bit of its last pixels changed. */
function tampered(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
  return copy;
}

describe('createCredentialThread', () => {
  test.each(
    (['es256', 'es384', 'ed25519'] as const).flatMap((kind) =>
      FORMATS.map((format) => [kind, format] as const),
    ),
  )('validates what a key of the kind %s has signed in a %s', async (kind: KeyKind, format) => {
    const own = trialCertificates({ kind, organisation: 'Gallery of Tests' });
    const signer = createProviderSigner(own);
    const bytes = await signer.sign(await sampleImage(format), format).finally(signer.close);

    expect(await validate(bytes, format)).toEqual({
      ok: true,
      result: {
        state: 'valid',
        manifest: {
          signer: 'Gallery of Tests',
          generator: 'provider-of-tests 1.0',
          actions: [{ action: 'c2pa.created', source_type: GENERATED, software: 'model-of-tests' }],
          ingredients: [],
        },
      },
    });
  });

  test('trusts a signer only if an anchor issued the certificate', async () => {
    const bytes = await provider.sign(await sampleImage('png'), 'png');
    const others = createProviderSigner(trialCertificates());
    const foreign = await others.sign(await sampleImage('png'), 'png').finally(others.close);

    expect(await validate(bytes, 'png', trusting)).toMatchObject({ result: { state: 'trusted' } });
    expect(await validate(foreign, 'png', trusting)).toMatchObject({ result: { state: 'valid' } });
  });

  test('trusts the signer of an image that was made of an image of an unknown signer, and not the other way round', async () => {
    const others = createProviderSigner(trialCertificates());
    const sign = async (by: typeof others, inputs: readonly Buffer[]) =>
      by.sign(await sampleImage('png'), 'png', {
        ...{ kind: 'created', model: 'model-of-tests', sourceType: GENERATED, changes: [] },
        inputs: inputs.map((bytes) => ({ bytes, format: 'png', hasCredentials: true })),
      });
    const [own, foreign] = [await sign(provider, []), await sign(others, [])];

    const ofForeign = await sign(provider, [foreign]);
    const ofOwn = await sign(others, [own]).finally(others.close);

    expect(await validate(ofForeign, 'png', trusting)).toMatchObject({
      result: { state: 'trusted' },
    });
    expect(await validate(ofOwn, 'png', trusting)).toMatchObject({ result: { state: 'valid' } });
  });

  test.each(FORMATS)('reports a %s whose pixels were changed as invalid', async (format) => {
    const bytes = await provider.sign(await sampleImage(format), format);
    const at = format === 'webp' ? 60 : bytes.length - 30;

    expect(await validate(tampered(bytes, at), format)).toMatchObject({
      result: { state: 'invalid', manifest: { signer: 'Example Organisation' } },
    });
  });

  test('reports an image without credentials as none', async () => {
    expect(await validate(await sampleImage('png'), 'png')).toEqual({
      ok: true,
      result: { state: 'none' },
    });
  });

  test('reports credentials that cannot be read as unreadable', async () => {
    const bytes = await provider.sign(await sampleImage('png'), 'png');
    const at = bytes.indexOf('jumd');

    const outcome = await validate(tampered(bytes, at), 'png');

    expect(outcome).toMatchObject({ ok: true, result: { state: 'unreadable' } });
  });

  test('reports the credentials of an expired certificate as invalid', async () => {
    const signer = createProviderSigner(trialCertificates({ days: -0.5 }));
    const bytes = await signer.sign(await sampleImage('png'), 'png').finally(signer.close);

    expect(await validate(bytes, 'png')).toMatchObject({ result: { state: 'invalid' } });
  });

  test('fails a task that takes too long, and validates the next image with a new thread', async () => {
    const bytes = await provider.sign(await sampleImage('png'), 'png');
    let limited = 0;
    const thread = threadWith({
      clock: {
        // The first limit is for the library to load, the second for the task.
        after(delayMs, run) {
          limited += 1;
          return systemClock.after(limited === 2 ? 0 : delayMs, run);
        },
      },
    });
    const big = await provider.sign(await sampleImage('png', 1500), 'png');

    expect(await validate(big, 'png', thread)).toEqual({ ok: false, failure: 'timed_out' });
    expect(await validate(bytes, 'png', thread)).toMatchObject({ result: { state: 'valid' } });
  });

  test('fails a task if its thread ends, and starts a thread for the next task', async () => {
    const program = join(folder, 'ends.mjs');
    await writeFile(
      program,
      `import { parentPort } from 'node:worker_threads';
       parentPort.on('message', () => process.exit());
       parentPort.postMessage({ kind: 'loaded' });`,
    );
    const thread = threadWith({ program });
    const image = await sampleImage('png');

    expect(await validate(image, 'png', thread)).toEqual({ ok: false, failure: 'trapped' });
    expect(await validate(image, 'png', thread)).toEqual({ ok: false, failure: 'trapped' });
  });

  test('starts a thread for the next task if the thread has ended between two tasks', async () => {
    const program = join(folder, 'ends-later.mjs');
    const message = { kind: 'ended', result: { state: 'none' }, memoryBytes: 1 };
    await writeFile(
      program,
      `import { parentPort } from 'node:worker_threads';
       parentPort.on('message', () => {
         parentPort.postMessage(${JSON.stringify(message)});
         setImmediate(() => process.exit());
       });
       parentPort.postMessage({ kind: 'loaded' });`,
    );
    const thread = threadWith({ program });
    const image = await sampleImage('png');

    expect(await validate(image, 'png', thread)).toMatchObject({ ok: true });
    await expect.poll(() => validate(image, 'png', thread)).toMatchObject({ ok: true });
    await expect.poll(() => validate(image, 'png', thread)).toMatchObject({ ok: true });
  });

  test('fails a task if no thread can be started', async () => {
    const thread = threadWith({ program: 'not-an-absolute-path' });
    const image = await sampleImage('png');

    expect(await validate(image, 'png', thread)).toEqual({ ok: false, failure: 'trapped' });
  });

  test.each([
    ['trapped', { kind: 'trapped' }],
    ['memory', { kind: 'ended', result: { state: 'valid' }, memoryBytes: 2 ** 28 + 1 }],
  ])('discards the thread after a task that ended as %s', async (failure, message) => {
    const program = join(folder, `${failure}.mjs`);
    await writeFile(
      program,
      `import { parentPort, threadId } from 'node:worker_threads';
       let tasks = 0;
       parentPort.on('message', () => {
         tasks += 1;
         if (tasks > 1) process.exit();
         parentPort.postMessage(${JSON.stringify(message)});
       });
       parentPort.postMessage({ kind: 'loaded' });`,
    );
    const thread = threadWith({ program });
    const image = await sampleImage('png');

    expect(await validate(image, 'png', thread)).toEqual({ ok: false, failure });
    expect(await validate(image, 'png', thread)).toEqual({ ok: false, failure });
  });

  test('rejects a task at once if sixteen others are waiting', async () => {
    const image = await sampleImage('png');
    const running = Array.from({ length: 17 }, () => validate(image, 'png'));

    expect(await validate(image, 'png')).toEqual({ ok: false, failure: 'busy' });
    expect((await Promise.all(running)).every(({ ok }) => ok)).toBe(true);
  });

  test('fails the running and the waiting tasks when it closes', async () => {
    const thread = threadWith();
    const image = await sampleImage('png');
    const running = Array.from({ length: 3 }, () => validate(image, 'png', thread));

    await thread.close();

    expect(await Promise.all(running)).toEqual(
      Array.from({ length: 3 }, () => ({ ok: false, failure: 'closed' })),
    );
  });

  test('starts no thread after it was closed, even if a task is about to replace the thread', async () => {
    const image = await sampleImage('png');
    let anchors: string | undefined;
    const thread = threadWith({
      trustAnchors() {
        if (anchors !== undefined) void thread.close();
        return anchors;
      },
    });
    expect(await validate(image, 'png', thread)).toMatchObject({ ok: true });
    const started: unknown[] = [];
    const onStart = (worker: unknown) => started.push(worker);
    process.on('worker', onStart);

    anchors = certificates.anchor;
    const outcome = await validate(image, 'png', thread);

    process.off('worker', onStart);
    expect(outcome).toEqual({ ok: false, failure: 'closed' });
    expect(started).toEqual([]);
  });

  test('refuses to sign over an original that cannot be read', async () => {
    const bytes = await provider.sign(await sampleImage('png'), 'png');
    const broken = tampered(bytes, bytes.indexOf('jumd'));
    const claim = {
      kind: 'changed',
      model: 'model-of-tests',
      sourceType: GENERATED,
      original: { bytes: broken, format: 'png', hasCredentials: true },
      changes: ['converted'],
    } as const;

    await expect(provider.sign(await sampleImage('jpeg'), 'jpeg', claim)).rejects.toThrow(
      'not signed',
    );
  });
});
