import { refuseTooManyInputs } from '../backend/sent-images.ts';
import type { ProviderParts } from '../provider-parts.ts';
import type { Provider } from '../provider-port.ts';
import { createRunningCalls } from '../running-calls.ts';
import { createAgent } from './agent.ts';
import { capabilitiesOf, MODEL } from './capabilities.ts';

/** Creates the provider that runs a supervised agent process and talks to it over its standard streams. */
export function createAgentAppServerProvider(parts: ProviderParts<'agent_app_server'>): Provider {
  const { name, settings } = parts;
  const document = capabilitiesOf(name, settings);
  const agent = createAgent(parts);
  const calls = createRunningCalls();

  return {
    name,
    // A turn is never retried because each turn is charged.
    retry: { attempts: 1, backoffMs: 0 },
    maxParallelCalls: document.batching.max_parallel_outputs,
    describe: () => ({
      displayName: 'Agent App Server',
      version: document.implementation_version,
      experimental: false,
      models: [MODEL],
      defaultModel: MODEL,
    }),
    capabilities: (model) => (model === MODEL ? document : undefined),
    refuse: refuseTooManyInputs,
    async execute(request, context) {
      refuseTooManyInputs(request);
      return calls.run(context.signal, async (signal) => ({
        outputs: [await agent.run(request, { ...context, signal })],
      }));
    },
    sessions: {
      createThread: (_request, signal) => calls.run(signal, agent.createThread),
      deleteThread: (threadId, signal) =>
        calls.run(signal, (linked) => agent.deleteThread(threadId, linked)),
    },
    probe: agent.probe,
    restarts: agent.restarts,
    skippedLines: agent.skippedLines,
    async close() {
      await Promise.all([calls.close(), agent.stop()]);
      await agent.settled();
    },
  };
}
