import { text } from '../../text/text.ts';
import type { Support } from './model-row.ts';

/** Whether a model can do something: by a mark and a word. */
export function Can({ support, word }: { readonly support: Support; readonly word?: string }) {
  return <span class={`can ${support}`}>{word ?? text(`system.can.${support}`)}</span>;
}
