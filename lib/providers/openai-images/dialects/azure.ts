import type { Dialect } from './dialect.ts';
import { OPENAI } from './openai.ts';

export const AZURE: Dialect = { ...OPENAI, displayName: 'Azure OpenAI', keyHeader: 'api-key' };
