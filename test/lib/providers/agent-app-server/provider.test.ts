import { chmod, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { describeProvider } from '../../../contracts/provider-contract.ts';
import { agentRequest, someInputs } from '../agent-responses/requests.ts';
import { type ChildRig, isRunning, openChildRig, run } from './child-rig.ts';

describeProvider('agent-app-server', async () => {
  const { provider, close } = await openChildRig();
  return {
    provider,
    request: (indices) => agentRequest({ indices }),
    failing: agentRequest({ prompt: 'Anything [[no-image]]' }),
    endless: agentRequest({ prompt: 'Anything [[hang]]' }),
    refused: agentRequest({ images: someInputs(3), references: someInputs(3) }),
    close,
  };
});

const rigs: ChildRig[] = [];

async function rigOf(options: Parameters<typeof openChildRig>[0] = {}): Promise<ChildRig> {
  const rig = await openChildRig(options);
  rigs.push(rig);
  return rig;
}

afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

describe('createAgentAppServerProvider', () => {
  it('starts no child before the first request', async () => {
    const rig = await rigOf();

    await rig.provider.probe(new AbortController().signal);

    expect(await rig.children()).toEqual([]);
  });

  it('makes images of several requests with one child', async () => {
    const rig = await rigOf();

    const first = await run(rig, agentRequest()).result;
    const second = await run(rig, agentRequest()).result;

    expect(first.outputs[0]?.bytes.subarray(1, 4).toString()).toBe('PNG');
    expect(first.outputs[0]?.revisedPrompt).toBe('a fox');
    expect(second.outputs[0]?.bytes.equals(first.outputs[0]?.bytes ?? Buffer.alloc(0))).toBe(false);
    expect(await rig.children()).toHaveLength(1);
    expect(rig.provider.restarts?.()).toBe(0);
  });

  it('starts the child with a minimal environment and private folders', async () => {
    const rig = await rigOf();

    await run(rig, agentRequest()).result;

    const [child] = await rig.children();
    expect(Object.keys(child?.env ?? {}).sort()).toEqual([
      'CODEX_HOME',
      'HOME',
      'NO_COLOR',
      'PATH',
      'RUST_LOG',
    ]);
    expect(child?.env).toMatchObject({ HOME: rig.agentHome, CODEX_HOME: rig.agentHome });
    expect(child?.cwd).toBe(rig.work);
    for (const folder of [rig.agentHome, rig.work]) {
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
    }
  });

  it('runs requests in parallel, each on its own thread that is deleted afterwards', async () => {
    const rig = await rigOf();
    const requests = Array.from({ length: 8 }, (_, index) => agentRequest({ indices: [index] }));

    await Promise.all(requests.map((request) => run(rig, request).result));

    await expect.poll(() => rig.leftovers()).toEqual([]);
    const [child] = await rig.children();
    const ids = (method: string) =>
      (child?.received ?? [])
        .filter((message) => message.method === method)
        .map(({ params }) => params.threadId);
    expect(new Set(ids('turn/start')).size).toBe(8);
    expect(new Set(ids('thread/delete'))).toEqual(new Set(ids('turn/start')));
  });

  it('leaves no process behind after it is closed', async () => {
    const rig = await rigOf();
    await run(rig, agentRequest()).result;
    const [child] = await rig.children();

    await rig.provider.close();

    expect(await isRunning(child?.pid ?? 0)).toBe(false);
  });
});

describe('the probe of agent-app-server', () => {
  const probe = ({ provider }: ChildRig) => provider.probe(new AbortController().signal);

  it('reports ready with an executable file and a readable login', async () => {
    expect(await probe(await rigOf())).toEqual({ ready: true });
  });

  it.each(['./no-such-file', 'no-such-name-in-the-path'])(
    'reports not ready without the executable %s, as a request does',
    async (executable) => {
      const rig = await rigOf({ set: [`providers.agent_app_server.executable=${executable}`] });

      expect(await probe(rig)).toEqual({ ready: false, errorCode: 'configuration' });
      expect(await run(rig, agentRequest()).failure).toMatchObject({ code: 'configuration' });
    },
  );

  it.each([
    ['there is no login', (file: string) => rm(file)],
    ['others may change the login', (file: string) => chmod(file, 0o666)],
  ])('reports not ready if %s', async (_name, spoil) => {
    const rig = await rigOf();
    await spoil(join(rig.home, 'auth.json'));

    expect(await probe(rig)).toEqual({ ready: false, errorCode: 'authentication' });
  });

  it('reports not ready while the account of the child cannot be read, although turns work', async () => {
    const rig = await rigOf({ args: ['--account=error'] });

    const { outputs } = await run(rig, agentRequest()).result;

    expect(outputs).toHaveLength(1);
    expect(await probe(rig)).toEqual({ ready: false, errorCode: 'upstream' });
  });
});

describe('many turns', () => {
  it('keep no image in memory', async () => {
    // 270 kB for each image.
    const rig = await rigOf({ args: ['--edge=300'] });
    const turns = async (count: number) => {
      for (let turn = 0; turn < count; turn += 1) await run(rig, agentRequest()).result;
    };
    const held = () => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers;
    };

    await turns(20);
    const before = held();
    await turns(60);

    // The memory of a buffer is released some time after its collection.
    await expect.poll(() => held() - before).toBeLessThan(20 * 270_000);
  });
});

/** Node exposes the collector only on request. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
