import type { Capabilities } from '../../api/schemas.ts';

type Mode = 'isolated' | 'persistent' | 'thread';

/** How a model can remember what was made before. */
export function sessionModes(document: Capabilities | undefined): readonly Mode[] {
  return [
    'isolated',
    ...(document?.persistent_sessions ? (['persistent'] as const) : []),
    ...(document?.explicit_threads ? (['thread'] as const) : []),
  ];
}
