import type { Dialect } from './dialect.ts';
import { DIFFUSION } from './family.ts';

export const GENERIC: Dialect = {
  displayName: 'OpenAI-compatible server',
  fields: ['size', 'response_format'],
  defaultFamily: DIFFUSION,
  formats: ['png'],
  keyHeader: 'authorization',
  edits: 'profile',
  mask: { name: 'mask', form: 'alpha' },
  revisesPrompts: true,
  hides500: true,
  hasNameless404: true,
};
