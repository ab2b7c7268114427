import { readdirSync, readFileSync } from 'node:fs';
import sharp from 'sharp';
import { residentMb } from '../bench/measure/process-use.ts';
import { percentile } from '../bench/measure/statistics.ts';
import type { BehaviourName } from '../support/images-upstream/behaviours/behaviours.ts';
import type { ImagesUpstream } from '../support/images-upstream/images-upstream.ts';
import type { Peer } from './peers.ts';

/** A server that receives the requests of a measurement. */
export type Target = Pick<Peer, 'baseUrl' | 'headers'>;

const MODEL = 'gpt-image-1.5';
const NO_TRANSPARENCY = 'gpt-image-2';
const SIZE = '1024x1024';
const EDGE = 1024;
const PROMPTS = 64;
const REPLY_MS = 60_000;
/** Cut connections carry one small image, so that thousands of them take minutes. */
export const CUT_IMAGES = { edge: 64, imageBytes: 30_000, drawsPrompts: false };
/** A reply in five chunks with pauses takes longer than a client needs to disconnect. */
const CUT_CHUNK_BYTES = 8192;
const CUT_PAUSE_MS = 25;
const CUT_CLIENTS = 16;

/** Images that are damaged, or that are no images. */
const WRONG: readonly BehaviourName[] = [
  'image=svg',
  'image=html',
  'image=pixel-bomb',
  'image=truncated',
  'image=empty',
  'base64=alphabet',
  'base64=length',
  'base64=words',
];

interface Reply {
  readonly status: number;
  readonly image: string | undefined;
}

/** Sends one request without retries. A broken connection has the status 0. */
async function generate(
  { baseUrl, headers }: Target,
  body: Readonly<Record<string, unknown>>,
  { key, signal = AbortSignal.timeout(REPLY_MS) }: { key?: string; signal?: AbortSignal } = {},
): Promise<Reply> {
  try {
    const response = await fetch(`${baseUrl}/images/generations`, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      body: JSON.stringify({ model: MODEL, size: SIZE, ...body }),
      signal,
    });
    return await toReply(response);
  } catch {
    return { status: 0, image: undefined };
  }
}

async function toReply(response: Response): Promise<Reply> {
  const text = await response.text();
  const [, image] = /"b64_json":\s*"([^"]*)"/.exec(text) ?? [];
  return { status: response.status, image };
}

/** Runs `work` for the numbers below `count`, at most `clients` at the same time. */
async function inParallel(
  count: number,
  clients: number,
  work: (nth: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const client = async () => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}

export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
}

/** Measures whole requests for an image of 300 kB. */
export async function latency(target: Target, clients: number, count: number): Promise<Latency> {
  const times: number[] = [];
  let failed = 0;
  await inParallel(count, clients, async (nth) => {
    const beganMs = performance.now();
    const { status } = await generate(target, { prompt: `a fox ${nth % PROMPTS}` });
    times.push(performance.now() - beganMs);
    if (status !== 200) failed += 1;
  });
  return { p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99), failed };
}

/** The images of cut connections. */
export interface Cuts {
  /** The number of prompts for which an image was made. */
  readonly made: number;
  /** The number of prompts for which an image was made again. */
  readonly twice: number;
}

/** Sends requests whose connections are cut, each with its own prompt. Counts the images that the upstream makes. */
async function countCuts(
  upstream: ImagesUpstream,
  behaviour: Exclude<Parameters<ImagesUpstream['setDefaultBehaviour']>[0], string>,
  prompts: readonly string[],
  send: (prompt: string, nth: number) => Promise<unknown>,
): Promise<Cuts> {
  upstream.setDefaultBehaviour({ ...behaviour, ...CUT_IMAGES });
  await inParallel(prompts.length, CUT_CLIENTS, async (nth) => {
    await send(prompts[nth] ?? '', nth);
  });
  upstream.setDefaultBehaviour('succeed');
  const drawn = prompts.map((prompt) => upstream.drawnFor(prompt));
  return {
    made: drawn.filter((count) => count > 0).length,
    twice: drawn.filter((count) => count > 1).length,
  };
}

/** Counts the images that are paid more than once if the upstream breaks each connection inside its reply. */
export function upstreamCuts(upstream: ImagesUpstream, peer: Peer, count: number): Promise<Cuts> {
  const prompts = Array.from({ length: count }, (_, nth) => `upstream cut ${peer.name} ${nth}`);
  return countCuts(upstream, { behaviour: 'cut=body' }, prompts, (prompt) =>
    generate(peer, { prompt }),
  );
}

/** Counts the images that are paid more than once if the client loses its connection and sends its request again with the same key. */
export function clientCuts(upstream: ImagesUpstream, peer: Peer, count: number): Promise<Cuts> {
  // A slow reply, so that the image is made before the client is gone and not yet delivered.
  const slow = {
    behaviour: 'succeed',
    chunks: CUT_CHUNK_BYTES,
    chunkPauseMs: CUT_PAUSE_MS,
  } as const;
  const prompts = Array.from({ length: count }, (_, nth) => `client cut ${peer.name} ${nth}`);
  return countCuts(upstream, slow, prompts, async (prompt, nth) => {
    const key = `key-${peer.name.replaceAll(' ', '-')}-${nth}`;
    const gone = new AbortController();
    const first = generate(peer, { prompt }, { key, signal: gone.signal });
    await Promise.race([upstream.until(() => upstream.drawnFor(prompt) > 0), first]);
    gone.abort();
    await first;
    await generate(peer, { prompt }, { key });
  });
}

/** Counts the damaged images that are delivered as images. */
export async function wrongBytes(upstream: ImagesUpstream, peer: Peer) {
  let delivered = 0;
  for (const behaviour of WRONG) {
    upstream.setDefaultBehaviour(behaviour);
    const { status, image } = await generate(peer, { prompt: `wrong ${peer.name} ${behaviour}` });
    if (status === 200 && !(await isImage(image))) delivered += 1;
  }
  upstream.setDefaultBehaviour('succeed');
  return { delivered, count: WRONG.length };
}

async function isImage(base64 = ''): Promise<boolean> {
  if (base64 === '' || base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+=*$/.test(base64)) return false;
  return sharp(Buffer.from(base64, 'base64'), { failOn: 'warning' })
    .stats()
    .then(
      () => true,
      () => false,
    );
}

/** Returns the share of protected pixels that an edit with a mask leaves unchanged. Undefined if the edit fails. */
export async function mask({ baseUrl, headers }: Target): Promise<number | undefined> {
  const raw = { width: EDGE, height: EDGE, channels: 3 } as const;
  const pixels = Buffer.from(Uint8Array.from({ length: EDGE * EDGE * 3 }, (_, at) => at * 31));
  const source = await sharp(pixels, { raw }).png().toBuffer();
  // The left half may change.
  const alpha = Buffer.from(
    Uint8Array.from({ length: EDGE * EDGE * 4 }, (_, at) =>
      at % 4 === 3 && ((at - 3) / 4) % EDGE < EDGE / 2 ? 0 : 255,
    ),
  );
  const mask = await sharp(alpha, { raw: { ...raw, channels: 4 } })
    .png()
    .toBuffer();
  const form = new FormData();
  form.set('model', MODEL);
  form.set('prompt', 'a fox on the left');
  form.set('size', SIZE);
  form.set('image', new File([new Uint8Array(source)], 'source.png', { type: 'image/png' }));
  form.set('mask', new File([new Uint8Array(mask)], 'mask.png', { type: 'image/png' }));
  const response = await fetch(`${baseUrl}/images/edits`, { method: 'POST', headers, body: form });
  const { status, image } = await toReply(response);
  if (status !== 200 || image === undefined) return undefined;
  const edited = await sharp(Buffer.from(image, 'base64')).removeAlpha().raw().toBuffer();
  let equal = 0;
  for (let y = 0; y < EDGE; y += 1) {
    for (let x = EDGE / 2; x < EDGE; x += 1) {
      const at = (y * EDGE + x) * 3;
      if (pixels.subarray(at, at + 3).equals(edited.subarray(at, at + 3))) equal += 1;
    }
  }
  return equal / (EDGE * (EDGE / 2));
}

/** Returns true if a transparent background is delivered, although the model cannot draw one. */
export async function transparency(target: Target): Promise<boolean> {
  const body = { prompt: 'a fox', background: 'transparent', model: NO_TRANSPARENCY };
  const { status, image } = await generate(target, body);
  if (status !== 200 || image === undefined) return false;
  const { isOpaque } = await sharp(Buffer.from(image, 'base64')).stats();
  return !isOpaque;
}

/** Returns the resident memory of a process and its children, in MiB. */
export function memoryMb(pid: number): number {
  const children = readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && parentOf(name) === pid;
    } catch {
      // The process has ended.
      return false;
    }
  });
  return children.reduce((sum, child) => sum + memoryMb(Number(child)), residentMb(pid));
}

function parentOf(pid: string): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
