import type { Config } from '../../config/settings/settings.ts';

type AgentSettings = Config['providers']['agent_app_server'];

/** Id of the model provider in the child's configuration. */
export const MODEL_PROVIDER = 'bridge';

/**
 * Features that are disabled because they would add upstream requests, tools or prompts. An unknown feature is not an
 * error of the agent.
 */
const DISABLED_FEATURES = [
  'apps',
  'auth_elicitation',
  'browser_use',
  'browser_use_external',
  'computer_use',
  'daemon_auto_start',
  'fast_mode',
  'goals',
  'guardian_approval',
  'hooks',
  'in_app_browser',
  'mentions_v2',
  'multi_agent',
  'plugin_sharing',
  'plugins',
  'remote_plugin',
  'shell_snapshot',
  'shell_tool',
  'skill_mcp_dependency_install',
  'skill_search',
  'sleep_tool',
  'tool_call_mcp_elicitation',
  'tool_suggest',
  // Disabled because the child would retry an unreachable network forever.
  'unbounded_connection_retries',
  'unified_exec',
  'view_image',
  'workspace_dependencies',
];

/**
 * Returns the arguments of the child: the arguments in the settings, then `app-server`, then assignments that set the model and
 * its provider and disable optional features. Retries of upstream calls are disabled in the child because each retry is
 * charged.
 */
export function agentArguments({
  args,
  agent_model: model,
  base_url: baseUrl,
  account_base_url: accountBaseUrl,
}: Pick<AgentSettings, 'args' | 'agent_model' | 'base_url' | 'account_base_url'>): string[] {
  const provider = `model_providers.${MODEL_PROVIDER}`;
  const values: Readonly<Record<string, string | number | boolean>> = {
    model,
    model_provider: MODEL_PROVIDER,
    chatgpt_base_url: accountBaseUrl,
    cli_auth_credentials_store: 'file',
    web_search: 'disabled',
    check_for_update_on_startup: false,
    project_doc_max_bytes: 0,
    include_permissions_instructions: false,
    include_environment_context: false,
    [`${provider}.name`]: MODEL_PROVIDER,
    [`${provider}.base_url`]: baseUrl,
    [`${provider}.wire_api`]: 'responses',
    [`${provider}.requires_openai_auth`]: true,
    [`${provider}.supports_websockets`]: false,
    [`${provider}.request_max_retries`]: 0,
    [`${provider}.stream_max_retries`]: 0,
    [`${provider}.stream_idle_timeout_ms`]: 60_000,
    'analytics.enabled': false,
    'history.persistence': 'none',
    'skills.include_instructions': false,
    'skills.bundled.enabled': false,
    ...Object.fromEntries(DISABLED_FEATURES.map((name) => [`features.${name}`, false])),
  };
  // JSON strings, numbers and booleans are also valid TOML values.
  const assignments = Object.entries(values).map(
    ([key, value]) => `${key}=${JSON.stringify(value)}`,
  );
  return [...args, 'app-server', ...assignments.flatMap((assignment) => ['-c', assignment])];
}
