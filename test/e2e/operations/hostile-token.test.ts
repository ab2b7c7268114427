import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { residentMb } from '../../bench/measure/process-use.ts';
import { ATTACKS, type AttackName, type Counts } from '../../support/hostile/attacks.ts';
import {
  cleanUp,
  freshFolder,
  runProgram,
  type StartedBridge,
  startBridge,
} from '../../support/start-bridge.ts';
import { createJobClient, type JobClient, type Reply } from '../jobs/jobs-rig.ts';

// Set HOSTILE_TOKEN_SECONDS=60 for a long run of each attack, with its times, and HOSTILE_TOKEN_ATTACKS=queue,heads for some
// attacks.
const SECONDS = Number(process.env['HOSTILE_TOKEN_SECONDS'] ?? 0);
const ATTACK_SECONDS = SECONDS === 0 ? 2 : SECONDS;
const NAMES = (process.env['HOSTILE_TOKEN_ATTACKS']?.split(',') ??
  Object.keys(ATTACKS)) as AttackName[];
const MAX_P99_MS = 1000;
const MAX_RESIDENT_MB = 1024;
const PAUSE_MS = 20;
const SET = ['server.tokens_file=tokens.toml', 'server.mcp.enabled=true'];

const ATTACKER = fileURLToPath(
  new URL('../../../dist/test/support/hostile/main.js', import.meta.url),
);

afterAll(cleanUp);

async function addToken(cwd: string, name: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram(
    ['tokens', 'add', name, '--set', 'server.tokens_file=tokens.toml'],
    cwd,
  );
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** Attacks from a separate process, whose work does not delay the client of the other token. */
function attack(name: AttackName, { port }: StartedBridge, token: string): Promise<Counts> {
  const child = spawn(process.execPath, [
    ATTACKER,
    name,
    String(port),
    token,
    String(ATTACK_SECONDS),
  ]);
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.resume();
  return new Promise((resolve, reject) => {
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(output));
      else reject(new Error(`the attacker ended with ${code}`));
    });
  });
}

const IMAGE = { prompt: 'a boat', parameters: { size: '64x64' } };
const UNKNOWN = { ...IMAGE, routing: { model: 'sandbox-fail-timeout' } };

/** The data of the other token before the attacks. */
async function ownThings(client: JobClient) {
  const jobs: Reply['json'][] = [];
  for (let nth = 0; nth < 10; nth += 1) {
    const { json } = await client.post({ ...IMAGE, prompt: `boat ${nth}` });
    jobs.push(await client.ended(json.id));
  }
  const keyed = () =>
    client.send('POST', '/v1/images', { headers: { 'idempotency-key': 'mine' }, body: UNKNOWN });
  const keyedJob = () => client.post(IMAGE, { 'idempotency-key': 'my-job' });
  const { json: job } = await keyedJob();
  await client.ended(job.id);
  const { status } = await keyed();
  expect(status).toBe(504);
  const [artifact] = jobs.map(({ result }) => result.data[0].id);
  return { jobs, artifact: String(artifact), keyed, keyedJob, keyedJobId: job.id };
}

/** Returns the times of one client that requests a thumbnail and a small image in turns, until `isOver`. */
async function useMeanwhile(client: JobClient, artifact: string, isOver: () => boolean) {
  const times = { thumbnail: [] as number[], image: [] as number[] };
  const failures: Record<string, number> = {};
  const timed = async (kind: keyof typeof times, call: () => Promise<Reply>) => {
    const startedMs = performance.now();
    const { status } = await call();
    times[kind].push(performance.now() - startedMs);
    if (status !== 200) failures[`${kind} ${status}`] = (failures[`${kind} ${status}`] ?? 0) + 1;
  };
  do {
    await timed('thumbnail', () => client.get(`/v1/artifacts/${artifact}/thumbnail`));
    await timed('image', () => client.send('POST', '/v1/images', { body: IMAGE }));
    await delay(PAUSE_MS);
  } while (!isOver());
  return { thumbnail: figures(times.thumbnail), image: figures(times.image), failures };
}

function figures(times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { count: times.length, median: at(0.5), p99: at(0.99), longest: at(1) };
}

/** Samples the resident memory until `isOver`. Resolves with the greatest sample. */
async function mostResidentMb({ child }: StartedBridge, isOver: () => boolean): Promise<number> {
  let most = 0;
  do {
    most = Math.max(most, residentMb(child.pid ?? 0));
    await delay(50);
  } while (!isOver());
  return Math.round(most);
}

describe('a token beside a hostile token', () => {
  it.each(NAMES)(
    'keeps its history, its place in the queue and its keys during %s',
    {
      timeout: (ATTACK_SECONDS + 240) * 1000,
    },
    async (name) => {
      const cwd = await freshFolder();
      const [mine, hostile] = [await addToken(cwd, 'mine'), await addToken(cwd, 'hostile')];
      const bridge = await startBridge({ cwd, set: SET });
      const client = await createJobClient(bridge, mine);
      const own = await ownThings(client);
      let isOver = false;

      const attacking = attack(name, bridge, hostile).finally(() => {
        isOver = true;
      });
      const sampling = mostResidentMb(bridge, () => isOver);
      const using = useMeanwhile(client, own.artifact, () => isOver);
      await delay((ATTACK_SECONDS * 1000) / 2);
      const queued = await client.post({ ...IMAGE, prompt: 'among many' });
      const [counts, used, resident] = await Promise.all([attacking, using, sampling]);

      console.info(name, JSON.stringify({ seconds: ATTACK_SECONDS, counts, ...used, resident }));
      expect(bridge.child.exitCode).toBeNull();
      expect(used.failures).toEqual({});
      expect(queued.status).toBe(202);
      expect(await client.ended(queued.json.id)).toMatchObject({ status: 'succeeded' });
      for (const { id } of own.jobs) expect((await client.get(`/v1/jobs/${id}`)).status).toBe(200);
      expect((await client.get(`/v1/artifacts/${own.artifact}`)).status).toBe(200);
      const again = await own.keyed();
      expect([again.status, again.headers['idempotent-replayed']]).toEqual([504, 'true']);
      expect((await own.keyedJob()).json.id).toBe(own.keyedJobId);
      expect(resident).toBeLessThan(MAX_RESIDENT_MB);
      if (SECONDS > 0) {
        expect(used.thumbnail.p99).toBeLessThan(MAX_P99_MS);
        expect(used.image.p99).toBeLessThan(MAX_P99_MS);
      }
    },
  );
});
