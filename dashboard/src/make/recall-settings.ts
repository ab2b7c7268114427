import type { Job, PresetTemplate } from '../api/schemas.ts';

type JobRequest = Job['request'];

/** The default values of `ImageRequest` in the API contract. A stored request contains these values explicitly. */
const DEFAULTS = {
  parameters: {
    n: 1,
    size: 'auto',
    aspect_ratio: null,
    resolution: null,
    quality: 'auto',
    output_compression: null,
    background: 'auto',
    moderation: 'auto',
    failure_policy: 'fail_fast',
    action: 'auto',
    input_fidelity: null,
  },
  output: {
    collision: 'error',
    metadata: 'none',
    // A job always uses this value.
    response_format: 'artifact',
  },
  transparency: {
    mode: 'auto',
    key_color: null,
    transparent_threshold: 12,
    opaque_threshold: 96,
    despill: true,
  },
  routing: { provider: null, model: null, fallbacks: [], fallback_policy: 'on_unavailable' },
  session: { mode: 'isolated' },
  policies: {
    compatibility: 'strict',
    negative_prompt: 'auto',
    revised_prompt: 'include',
    batch_execution: 'auto',
  },
} as const;

/** Returns the settings of a request that differ from their defaults, without the number of previews. */
export function recallSettings(request: JobRequest): PresetTemplate {
  const { output, metadata } = request;
  const transparency = changed(output.transparency, DEFAULTS.transparency);
  const sections = {
    parameters: changed({ ...request.parameters, partial_images: undefined }, DEFAULTS.parameters),
    output: {
      ...changed({ ...output, transparency: undefined }, DEFAULTS.output),
      ...(!isEmpty(transparency) && { transparency }),
    },
    routing: changed(request.routing, DEFAULTS.routing),
    session: changed(request.session, DEFAULTS.session),
    policies: changed(request.policies, DEFAULTS.policies),
    metadata,
  };
  return {
    prompt: request.prompt,
    ...(request.negative_prompt !== null && { negative_prompt: request.negative_prompt }),
    ...(request.timeout_ms !== null && { timeout_ms: request.timeout_ms }),
    ...(request.user !== null && { user: request.user }),
    ...Object.fromEntries(Object.entries(sections).filter(([, section]) => !isEmpty(section))),
  };
}

function changed<T extends object>(
  values: T,
  defaults: Readonly<Record<string, unknown>>,
): Partial<T> {
  const differs = ([name, value]: [string, unknown]) =>
    value !== undefined && JSON.stringify(value) !== JSON.stringify(defaults[name]);
  return Object.fromEntries(Object.entries(values).filter(differs)) as Partial<T>;
}

function isEmpty(section: object): boolean {
  return Object.keys(section).length === 0;
}
