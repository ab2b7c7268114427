import {
  createResponsesUpstream,
  type UpstreamOptions,
} from '../../../support/responses-upstream/responses-upstream.ts';
import { makeFolder, openProgramProvider } from '../program-rig.ts';

export type AgentRig = Awaited<ReturnType<typeof openAgentRig>>;

interface Options extends UpstreamOptions {
  /** Settings in the form of `--set`. */
  readonly set?: readonly string[];
}

/** The provider as the program builds it, with a login at the emulator that replaces the backend. */
export async function openAgentRig({ set = [], ...options }: Options = {}) {
  const home = await makeFolder('agent');
  const upstream = await createResponsesUpstream({ imageBytes: 40_000, ...options });
  await upstream.writeLogin(home);
  const {
    close,
    run: _,
    ...opened
  } = await openProgramProvider(home, [
    `providers.agent_responses.endpoint=${upstream.url}`,
    `providers.agent_responses.token_endpoint=${upstream.tokenUrl}`,
    `providers.agent_responses.home=${home}`,
    ...set,
  ]);
  return {
    ...opened,
    home,
    upstream,

    async close(): Promise<void> {
      await close();
      await upstream.close();
    },
  };
}
