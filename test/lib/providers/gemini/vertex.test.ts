import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GoogleGenAI } from '@google/genai';
import { JWT, UserRefreshClient } from 'google-auth-library';
import { afterEach, describe, expect, it } from 'vitest';
import type { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { findCredentialsProblem } from '../../../../lib/providers/credentials/google-credentials.ts';
import { describeProvider } from '../../../contracts/provider-contract.ts';
import {
  createGeminiUpstream,
  type GeminiOptions,
} from '../../../support/gemini-upstream/gemini-upstream.ts';
import { agentRequest, someInputs } from '../agent-responses/requests.ts';
import { makeFolder, namedSettings, openProgramProvider } from '../program-rig.ts';

const MODEL = 'gemini-nano-banana-2.1';
const PLACE = { project: 'a-project', location: 'europe-west4' };

interface Options extends GeminiOptions {
  readonly login?: 'serviceAccount' | 'authorizedUser';
}

/** The provider `gem` as the program builds it, with the emulator of Vertex AI and a file of credentials. */
async function openVertexRig({ login = 'serviceAccount', ...options }: Options = {}) {
  const folder = await makeFolder('vertex');
  const upstream = await createGeminiUpstream({ imageBytes: 40_000, vertex: PLACE, ...options });
  const file = join(folder, 'credentials.json');
  await writeFile(file, JSON.stringify(upstream.tokens[login]), { mode: 0o600 });
  const settings = {
    dialect: 'vertex',
    ...PLACE,
    base_url: upstream.url,
    token_endpoint: `${upstream.url}/token`,
    credentials_file: file,
  };
  const program = await openProgramProvider(folder, namedSettings('gemini', 'gem', settings));
  return {
    ...program,
    upstream,
    file,
    async close(): Promise<void> {
      await program.close();
      await upstream.close();
    },
  };
}

describeProvider('gemini, vertex', async () => {
  const { provider, close } = await openVertexRig();
  const asking = (prompt: string) => agentRequest({ model: MODEL, prompt });
  return {
    provider,
    request: (indices) => agentRequest({ model: MODEL, indices }),
    failing: asking('Anything [[fail:status=403]]'),
    endless: asking('Anything [[fail:silence=before-headers]]'),
    refused: agentRequest({ model: MODEL, images: someInputs(8), references: someInputs(7) }),
    close,
  };
});

type VertexRig = Awaited<ReturnType<typeof openVertexRig>>;

let rig: VertexRig;
const opened: VertexRig[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function start(options: Options = {}) {
  rig = await openVertexRig(options);
  opened.push(rig);
  return rig;
}

const run = () => rig.run(agentRequest({ model: MODEL }));

describe('the dialect vertex', () => {
  it.each([
    ['serviceAccount', 'service_account'],
    ['authorizedUser', 'authorized_user'],
  ] as const)('exchanges the credentials of a %s for an access token', async (login, grant) => {
    const { upstream } = await start({ login });

    const { outputs } = await run().result;

    expect(outputs).toHaveLength(1);
    expect(upstream.tokens.grants()).toEqual([grant]);
    expect(upstream.counters()).toMatchObject({ replied: 1, refused: 0 });
    expect(upstream.unrouted).toEqual([]);
  });

  it('shares one access token between concurrent and later calls', async () => {
    const { upstream } = await start();

    await Promise.all(Array.from({ length: 6 }, () => run().result));
    await run().result;

    expect(upstream.tokens.grants()).toHaveLength(1);
  });

  it('renews a token in the last minute of its lifetime', async () => {
    const { upstream } = await start({ tokenLifeSecs: 59 });

    await run().result;
    await run().result;

    expect(upstream.tokens.grants()).toHaveLength(2);
    expect(upstream.counters()).toMatchObject({ replied: 2, refused: 0 });
  });

  it('renews a rejected token once, for all concurrent calls together', async () => {
    const { upstream } = await start();
    await run().result;
    upstream.tokens.revoke();

    await Promise.all(Array.from({ length: 4 }, () => run().result));

    expect(upstream.tokens.grants()).toHaveLength(2);
    expect(upstream.counters()).toMatchObject({ replied: 5, refused: 4 });
  });

  it('reports a second rejection as a failure of the authentication', async () => {
    const { upstream } = await start({ areTokensRejected: true });

    expect(await run().ended).toMatchObject({ code: 'provider_authentication' });
    expect(upstream.counters()).toMatchObject({ calls: 2, refused: 2 });
  });

  it.each([
    ['refuse', { code: 'provider_authentication' }],
    ['unavailable', { code: 'upstream', retryable: true }],
    ['page', { code: 'upstream', retryable: true }],
    ['huge', { code: 'upstream', retryable: true }],
    ['no-token', { code: 'upstream', retryable: true }],
  ] as const)('sends no call after the token endpoint replied with %s', async (fault, error) => {
    const { upstream, file } = await start();
    upstream.tokens.script(fault);

    const { ended, reported } = run();
    const thrown = (await ended) as BridgeError;

    expect(thrown).toMatchObject(error);
    expect(reported).toEqual([]);
    expect(upstream.counters().calls).toBe(0);
    const { private_key, client_email } = upstream.tokens.serviceAccount;
    for (const secret of [private_key.slice(40, 80), client_email, file, 'ya29']) {
      expect(`${thrown.stack} ${JSON.stringify(thrown)}`).not.toContain(secret);
    }
    await run().result;
  });

  it('reads the credentials again for a renewal', async () => {
    const { upstream, file } = await start({ tokenLifeSecs: 30 });
    await run().result;
    await writeFile(file, JSON.stringify(upstream.tokens.authorizedUser));

    await run().result;

    expect(upstream.tokens.grants()).toEqual(['service_account', 'authorized_user']);
  });

  it('ends the wait for a token when its call is aborted', async () => {
    await start();
    const reason = new Error('aborted by the test');
    const controller = new AbortController();
    const { ended } = rig.run(agentRequest({ model: MODEL }), controller.signal);

    controller.abort(reason);

    expect(await ended).toBe(reason);
  });

  it('sends the same body to the same path as the SDK of the service', async () => {
    const { upstream } = await start();
    const { client_email, private_key } = upstream.tokens.serviceAccount;
    const client = new GoogleGenAI({
      vertexai: true,
      ...PLACE,
      httpOptions: { baseUrl: upstream.url },
      googleAuthOptions: {
        authClient: new JWT({
          email: client_email,
          key: private_key,
          scopes: ['https://www.googleapis.com/auth/cloud-platform'],
          transporterOptions: { fetchImplementation: atEmulator(upstream.url) },
        }),
      },
    });

    await rig.run(
      agentRequest({ model: MODEL, parameters: { aspect_ratio: '16:9', resolution: '2k' } }),
    ).result;
    await client.models.generateContent({
      model: MODEL,
      contents: 'A lighthouse in a storm',
      config: {
        responseModalities: ['IMAGE'],
        imageConfig: { aspectRatio: '16:9', imageSize: '2K' },
      },
    });

    expect(upstream.counters()).toMatchObject({ replied: 2, refused: 0 });
    const [ours, theirs] = upstream.calls;
    expect(ours?.path).toBe(theirs?.path);
    expect(JSON.parse(String(ours?.body))).toEqual(JSON.parse(String(theirs?.body)));
    expect(upstream.tokens.grants()).toEqual(['service_account', 'service_account']);
  });

  it('has an emulator that issues tokens to the library of the service for users', async () => {
    const { upstream } = await start();
    const { client_id, client_secret, refresh_token } = upstream.tokens.authorizedUser;
    const client = new UserRefreshClient({
      clientId: client_id,
      clientSecret: client_secret,
      refreshToken: refresh_token,
      transporterOptions: { fetchImplementation: atEmulator(upstream.url) },
    });

    const { token } = await client.getAccessToken();

    expect(upstream.tokens.isValid(token ?? '')).toBe(true);
  });
});

/** Returns a `fetch` that sends requests for Google's token endpoint to the emulator. */
function atEmulator(url: string): typeof fetch {
  return (target, init) =>
    fetch(String(target).replace('https://oauth2.googleapis.com', url), init);
}

describe('findCredentialsProblem', () => {
  it.each([
    ['{"type": "service_account", "client_email": "a@b", "private_key": "no key"}', 'neither'],
    ['{"type": "external_account"}', 'neither'],
    ['not json', 'neither'],
    ['x'.repeat(70_000), 'larger than 64 KiB'],
    [undefined, 'does not exist'],
  ])('explains the content %.30s', async (content, problem) => {
    const { file } = await start();
    const path = content === undefined ? `${file}.missing` : file;
    if (content !== undefined) await writeFile(file, content);

    expect(await findCredentialsProblem(path)).toContain(problem);
    expect(await findCredentialsProblem(path)).not.toContain(file);
  });

  it('rejects a file that other users can write', async () => {
    const { file, provider } = await start();
    await chmod(file, 0o660);

    expect(await findCredentialsProblem(file)).toContain('writable by its group or by others');
    expect(await provider.probe(new AbortController().signal)).toEqual({
      ready: false,
      errorCode: 'authentication',
    });
    expect(await run().ended).toMatchObject({ code: 'provider_authentication' });
  });
});
