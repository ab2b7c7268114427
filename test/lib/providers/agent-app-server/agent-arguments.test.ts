import { describe, expect, it } from 'vitest';
import { agentArguments } from '../../../../lib/providers/agent-app-server/agent-arguments.ts';

const settings = {
  args: ['--profile', 'quiet'],
  agent_model: 'gpt-5.5',
  base_url: 'http://127.0.0.1:9/codex',
  account_base_url: 'http://127.0.0.1:9/backend-api',
};

/** Returns the values of all `-c` arguments by key. */
function assignments(): ReadonlyMap<string, unknown> {
  const args = agentArguments(settings);
  return new Map(
    args.flatMap((arg, index) => {
      const [key = '', value = ''] = arg.split(/=(.*)/s);
      return args[index - 1] === '-c' ? [[key, JSON.parse(value)] as const] : [];
    }),
  );
}

describe('agentArguments', () => {
  it('begins with the arguments of the settings', () => {
    expect(agentArguments(settings).slice(0, 4)).toEqual([
      '--profile',
      'quiet',
      'app-server',
      '-c',
    ]);
  });

  it.each([
    // The default model calls the image tool only from a program that it writes.
    ['model', 'gpt-5.5'],
    ['model_provider', 'bridge'],
    ['model_providers.bridge.base_url', 'http://127.0.0.1:9/codex'],
    ['chatgpt_base_url', 'http://127.0.0.1:9/backend-api'],
    ['model_providers.bridge.requires_openai_auth', true],
    // Each repeated call is charged again.
    ['model_providers.bridge.request_max_retries', 0],
    ['model_providers.bridge.stream_max_retries', 0],
    // An unreachable network would otherwise be retried for ever.
    ['features.unbounded_connection_retries', false],
    ['features.shell_tool', false],
    ['analytics.enabled', false],
    ['history.persistence', 'none'],
    ['web_search', 'disabled'],
  ])('sets %s to %s', (key, value) => {
    expect(assignments().get(key)).toBe(value);
  });

  it('keeps the feature enabled that models need to write programs', () => {
    expect([...assignments().keys()].filter((key) => key.includes('code_mode'))).toEqual([]);
  });
});
