import type { ComponentName } from '../document/components.ts';

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

/** Named examples by component. */
export type Examples = { readonly [C in ComponentName]?: Readonly<Record<string, Example>> };
