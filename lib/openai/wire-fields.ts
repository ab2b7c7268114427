/** A field of the request under the name that a caller gives it, and the one that it has in ours. */
export interface FieldRow {
  readonly theirs: string;
  readonly ours: string;
}

const COMMON = {
  prompt: 'prompt',
  model: 'routing.model',
  n: 'parameters.n',
  size: 'parameters.size',
  quality: 'parameters.quality',
  output_format: 'parameters.output_format',
  output_compression: 'parameters.output_compression',
  background: 'parameters.background',
  moderation: 'parameters.moderation',
  partial_images: 'parameters.partial_images',
  input_fidelity: 'parameters.input_fidelity',
  response_format: 'output.response_format',
  user: 'user',
  safety_identifier: 'user',
};

const OF_EDITS = {
  provider: 'routing.provider',
  negative_prompt: 'negative_prompt',
  compatibility: 'policies.compatibility',
  revised_prompt: 'policies.revised_prompt',
  session_key: 'session.key',
};

const OF_BRIDGE_EXT = {
  'bridge_ext.provider': 'routing.provider',
  'bridge_ext.negative_prompt': 'negative_prompt',
  'bridge_ext.negative_prompt_mode': 'policies.negative_prompt',
  'bridge_ext.compatibility': 'policies.compatibility',
  'bridge_ext.revised_prompt': 'policies.revised_prompt',
  'bridge_ext.aspect_ratio': 'parameters.aspect_ratio',
  'bridge_ext.resolution': 'parameters.resolution',
  'bridge_ext.input_fidelity': 'parameters.input_fidelity',
  'bridge_ext.action': 'parameters.action',
  'bridge_ext.session.mode': 'session.mode',
  'bridge_ext.session.key': 'session.key',
  'bridge_ext.session.thread_id': 'session.thread_id',
  'bridge_ext.filename_prefix': 'output.filename_prefix',
  'bridge_ext.fallbacks': 'routing.fallbacks',
  'bridge_ext.fallback_policy': 'routing.fallback_policy',
  'bridge_ext.timeout_ms': 'timeout_ms',
  'bridge_ext.metadata': 'metadata',
};

/**
 * Every field of the two routes that has a counterpart in the native request (contract.md 10). Of two names for one
 * field, errors use the first where a caller used neither.
 */
export const WIRE_FIELDS: Readonly<Record<'generate' | 'edit', readonly FieldRow[]>> = {
  generate: toRows({ ...COMMON, ...OF_BRIDGE_EXT }),
  edit: toRows({ ...COMMON, ...OF_EDITS, ...OF_BRIDGE_EXT }),
};

function toRows(table: Readonly<Record<string, string>>): FieldRow[] {
  return Object.entries(table).map(([theirs, ours]) => ({ theirs, ours }));
}
