import type { ComponentName } from '../document/components.ts';

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

/** Examples of components, each under a name of its own. */
export type Examples = { readonly [C in ComponentName]?: Readonly<Record<string, Example>> };
