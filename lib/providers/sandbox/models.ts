/** What a model can do, and how it replies to every request. */
export interface SandboxModel {
  readonly id: string;
  readonly profile: 'full' | 'basic';
  readonly behaviour: Behaviour;
}

export type Behaviour =
  | { readonly kind: 'draw' }
  | { readonly kind: 'fail'; readonly failure: RehearsedFailure }
  | { readonly kind: 'fail_first' }
  | { readonly kind: 'draw_slowly' }
  | { readonly kind: 'hang' };

export const REHEARSED_FAILURES = [
  'authentication',
  'permission_denied',
  'safety_rejected',
  'unsupported_capability',
  'rate_limited',
  'overloaded',
  'timeout',
  'upstream',
  'protocol',
] as const;
export type RehearsedFailure = (typeof REHEARSED_FAILURES)[number];

export const DEFAULT_MODEL = 'sandbox-image';

/** All models, one row each, in the order of the list that clients get (providers.md). */
export const MODELS: readonly SandboxModel[] = [
  { id: DEFAULT_MODEL, profile: 'full', behaviour: { kind: 'draw' } },
  { id: 'sandbox-basic', profile: 'basic', behaviour: { kind: 'draw' } },
  ...REHEARSED_FAILURES.map(
    (failure): SandboxModel => ({
      id: `sandbox-fail-${failure}`,
      profile: 'full',
      behaviour: { kind: 'fail', failure },
    }),
  ),
  { id: 'sandbox-flaky', profile: 'full', behaviour: { kind: 'fail_first' } },
  { id: 'sandbox-slow', profile: 'full', behaviour: { kind: 'draw_slowly' } },
  { id: 'sandbox-hang', profile: 'full', behaviour: { kind: 'hang' } },
];

export function findModel(id: string): SandboxModel | undefined {
  return MODELS.find((model) => model.id === id);
}
