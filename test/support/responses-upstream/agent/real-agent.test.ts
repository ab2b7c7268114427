import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AgentClient, type Message, startAgent } from '../../real-agent/agent-client.ts';
import { AGENT_VERSIONS, installAgent } from '../../real-agent/install-agent.ts';
import { createResponsesUpstream, type ResponsesUpstream } from '../responses-upstream.ts';

const agents = await Promise.all(
  AGENT_VERSIONS.map(async (version) => ({ version, binary: await installAgent(version) })),
);

let upstream: ResponsesUpstream;
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Starts an agent that is signed in at an emulator, with a thread. */
async function openAgent(binary: string) {
  upstream = await createResponsesUpstream();
  closing.push(upstream.close);
  const home = await mkdtemp(join(tmpdir(), 'agent-home-'));
  closing.push(() => rm(home, { recursive: true, force: true }));
  const agent = await start(binary, home);
  return { home, agent, thread: await newThread(agent) };
}

async function start(binary: string, home: string): Promise<AgentClient> {
  const provider = 'model_providers.emulator';
  const agent = startAgent({
    binary,
    home,
    tokenUrl: upstream.tokenUrl,
    config: {
      model: 'gpt-5.5',
      model_provider: 'emulator',
      chatgpt_base_url: upstream.accountBaseUrl,
      cli_auth_credentials_store: 'file',
      web_search: 'disabled',
      [`${provider}.name`]: 'emulator',
      [`${provider}.base_url`]: upstream.baseUrl,
      [`${provider}.wire_api`]: 'responses',
      [`${provider}.requires_openai_auth`]: true,
      [`${provider}.supports_websockets`]: false,
      [`${provider}.request_max_retries`]: 0,
      [`${provider}.stream_max_retries`]: 0,
      'analytics.enabled': false,
      'features.apps': false,
      'features.plugins': false,
      'features.shell_tool': false,
    },
  });
  closing.push(agent.close);
  const clientInfo = { name: 'image-bridge', version: '1.0' };
  await agent.request('initialize', { clientInfo, capabilities: { experimentalApi: true } });
  agent.send({ method: 'initialized' });
  const { access_token: accessToken } = upstream.tokens();
  const type = 'chatgptAuthTokens';
  const account = { chatgptAccountId: upstream.accountId, chatgptPlanType: 'pro' };
  await agent.request('account/login/start', { type, accessToken, ...account });
  return agent;
}

async function newThread(agent: AgentClient): Promise<string> {
  const { result } = await agent.request('thread/start', {
    cwd: tmpdir(),
    approvalPolicy: 'never',
    sandbox: 'read-only',
    ephemeral: false,
    experimentalRawEvents: true,
  });
  return result.thread.id;
}

/** Runs a turn to its end. Resolves with its image item and the status of the turn. */
async function runTurn(agent: AgentClient, threadId: string, text: string, path?: string) {
  const image = path === undefined ? [] : [{ type: 'localImage', path, detail: 'original' }];
  const input = [{ type: 'text', text, text_elements: [] }, ...image];
  const { result } = await agent.request('turn/start', { threadId, input, effort: 'low' });
  const turnId = result.turn.id;
  const isOfTurn = ({ params }: Message) => (params?.turnId ?? params?.turn?.id) === turnId;
  const end = await agent.until((it) => it.method === 'turn/completed' && isOfTurn(it));
  const items = agent.messages
    .filter((it) => it.method === 'item/completed' && isOfTurn(it))
    .map(({ params }) => params.item);
  return {
    status: end.params.turn.status as string,
    image: items.find(({ type }) => type === 'imageGeneration'),
  };
}

const pathsOf = () => upstream.calls.map(({ path }) => path.replace('/backend-api/codex/', ''));

describe.for(agents)('the agent $version on the emulator', ({ version, binary = '' }) => {
  beforeEach(({ skip }) => skip(binary === '', `@openai/codex ${version} could not be installed`));

  it('has an account, and generates an image', async () => {
    const { agent, thread } = await openAgent(binary);
    const { result } = await agent.request('account/read');

    const { status, image } = await runTurn(agent, thread, 'draw a fox');

    expect(result.account).toMatchObject({ type: 'chatgpt', planType: 'pro' });
    expect(status).toBe('completed');
    expect(image).toMatchObject({ status: 'completed', revisedPrompt: 'draw a fox' });
    expect(Buffer.from(image.result, 'base64').subarray(1, 4).toString()).toBe('PNG');
    expect(pathsOf()).toEqual(['responses', 'images/generations', 'responses']);
  });

  it('edits a photograph that arrives with unchanged bytes', async () => {
    const { home, agent, thread } = await openAgent(binary);
    const photo = new URL('../../../data/photos/chelsea.png', import.meta.url);
    const bytes = await readFile(photo);
    const path = join(home, 'photo.png');
    await writeFile(path, bytes);

    const { image } = await runTurn(agent, thread, 'add a hat', path);

    expect(image.status).toBe('completed');
    const edit = upstream.calls.find((call) => call.path.endsWith('/images/edits'));
    const sent = JSON.parse(edit?.body?.toString() ?? '{}');
    expect(sent.images).toEqual([
      { image_url: `data:image/png;base64,${bytes.toString('base64')}` },
    ]);
  });

  it('continues a thread after a restart, with its earlier image', async () => {
    const { home, agent, thread } = await openAgent(binary);
    const first = await runTurn(agent, thread, 'draw a fox');
    await agent.close();
    const next = await start(binary, home);
    await next.request('thread/resume', { threadId: thread, cwd: tmpdir(), excludeTurns: true });

    const second = await runTurn(next, thread, 'make it blue');

    expect(second.image.status).toBe('completed');
    const edit = upstream.calls.find((call) => call.path.endsWith('/images/edits'));
    expect(JSON.parse(edit?.body?.toString() ?? '{}').images).toEqual([
      { image_url: `data:image/png;base64,${first.image.result}` },
    ]);
  });

  it.each([
    ['[[images:status=400,moderation_blocked]]', 'http 400', 'moderation_blocked'],
    ['[[images:status=401]]', 'http 401', 'token_expired'],
    ['[[images:status=429]]', 'http 429', 'rate_limit_exceeded'],
    ['[[images:status=500]]', 'http 500', 'server_error'],
    ['[[images:cut]]', 'network error', ''],
    ['[[images:empty]]', 'no image data', ''],
  ])('reports a failed image as %s, and completes the turn', async (prompt, ...causes) => {
    const { agent, thread } = await openAgent(binary);

    const { status, image } = await runTurn(agent, thread, prompt);

    expect(status).toBe('completed');
    expect(image).toMatchObject({ status: 'failed', result: '' });
    const raw = agent.messages.find(
      ({ params }) =>
        params?.item?.type === 'function_call_output' && params.item.call_id === image.id,
    );
    for (const cause of causes) expect(JSON.stringify(raw?.params.item.output)).toContain(cause);
    expect(pathsOf()).toEqual(['responses', 'images/generations', 'responses']);
  });

  it.each(['status=403', 'status=429', 'status=500', 'cut'])(
    'fails the turn when the model replies %s, after one call',
    async (name) => {
      const { agent, thread } = await openAgent(binary);

      const { status, image } = await runTurn(agent, thread, `a fox [[model:${name}]]`);

      expect(status).toBe('failed');
      expect(image).toBeUndefined();
      expect(pathsOf()).toEqual(['responses']);
    },
  );

  it('is interrupted while its image hangs, and closes that connection', async () => {
    const { agent, thread } = await openAgent(binary);
    const turn = runTurn(agent, thread, '[[images:hang]]');
    await upstream.until(() => upstream.calls.some(({ isSilent }) => isSilent));

    await agent.request('turn/interrupt', { threadId: thread, turnId: '' });

    expect((await turn).status).toBe('interrupted');
    await upstream.until(() => upstream.counters().client_disconnected === 1);
  });
});
