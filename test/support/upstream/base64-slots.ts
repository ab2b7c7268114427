import type { Ids } from '../../../lib/platform/ids.ts';

/** Placeholders for base64 in an event. They are replaced by the bytes when the event is written. */
export type Base64Slots = ReturnType<typeof createBase64Slots>;

/**
 * The placeholders avoid `JSON.stringify` and an encoder for megabytes of base64 in every call, because a benchmark of the client
 * would otherwise measure the emulator.
 */
export function createBase64Slots(ids: Ids) {
  // The marks are random, so that no prompt can contain them.
  const tag = `base64-${ids.newOpaqueId()}`;
  const pattern = new RegExp(`${tag}-(\\d+)-`);
  const slots: Buffer[] = [];

  return {
    /** Returns a placeholder for these bytes. They must be ASCII that JSON need not escape. */
    mark(base64: Buffer): string {
      slots.push(base64);
      return `${tag}-${slots.length - 1}-`;
    },

    /** Returns the text as bytes in parts, with each mark replaced by its bytes. */
    fill(text: string): Buffer[] {
      return text.split(pattern).map((part, index) => {
        if (index % 2 === 0) return Buffer.from(part);
        return slots[Number(part)] ?? Buffer.alloc(0);
      });
    },
  };
}
