import type { Capabilities } from '../../api/schemas.ts';

type Mode = 'isolated' | 'persistent' | 'thread';

/** Returns the session modes that a model supports. */
export function sessionModes(document: Capabilities | undefined): readonly Mode[] {
  return [
    'isolated',
    ...(document?.persistent_sessions ? (['persistent'] as const) : []),
    ...(document?.explicit_threads ? (['thread'] as const) : []),
  ];
}
