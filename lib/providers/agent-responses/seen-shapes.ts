import type { Detail } from '../../errors/bridge-error.ts';
import type { BackendItem } from './backend-event.ts';

const ITEM_TYPES = [
  'image_generation_call',
  'message',
  'reasoning',
  'function_call',
  'web_search_call',
];
const CONTENT_TYPES = ['output_text', 'refusal', 'reasoning_text', 'summary_text'];
const CALL_STATUSES = ['in_progress', 'generating', 'completed', 'incomplete', 'failed'];

// A response without an image has few items; more labels would not help.
const MAX_LABELS = 16;

/**
 * Records the kinds of items of a response, for the case that it has no image (specification 7.9): labels of a closed
 * list only, never text of the response.
 */
export function createSeenShapes() {
  const itemTypes = new Set<string>();
  const contentTypes = new Set<string>();
  const statuses = new Set<string>();
  return {
    note(item: BackendItem): void {
      itemTypes.add(labelOf(item.type, ITEM_TYPES));
      for (const { type } of item.content ?? []) contentTypes.add(labelOf(type, CONTENT_TYPES));
      if (item.type === 'image_generation_call') {
        statuses.add(labelOf(item.status ?? '', CALL_STATUSES));
      }
    },

    details(): { readonly [key: string]: Detail } {
      return {
        ...listed('output_item_types', itemTypes),
        ...listed('message_content_types', contentTypes),
        ...listed('image_call_statuses', statuses),
      };
    },
  };
}

function labelOf(text: string, known: readonly string[]): string {
  return known.includes(text) ? text : 'other';
}

function listed(name: string, labels: ReadonlySet<string>): { readonly [key: string]: Detail } {
  return labels.size === 0 ? {} : { [name]: [...labels].sort().slice(0, MAX_LABELS) };
}
