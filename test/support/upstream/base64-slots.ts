import type { Ids } from '../../../lib/platform/ids.ts';

/** Placeholders for base64 in an event. They are replaced by the bytes when the event is written. */
export type Base64Slots = ReturnType<typeof createBase64Slots>;

/**
 * Megabytes of base64 do not go through `JSON.stringify` and an encoder for every call. Otherwise a benchmark of the client
 * would measure the emulator.
 */
export function createBase64Slots(ids: Ids) {
  // Random: no prompt can contain it.
  const tag = `base64-${ids.newOpaqueId()}`;
  const pattern = new RegExp(`${tag}-(\\d+)-`);
  const slots: Buffer[] = [];

  return {
    /** A placeholder for these bytes, which are ASCII that JSON need not escape. */
    mark(base64: Buffer): string {
      slots.push(base64);
      return `${tag}-${slots.length - 1}-`;
    },

    /** The text as bytes, in parts, each mark replaced by its bytes. */
    fill(text: string): Buffer[] {
      return text.split(pattern).map((part, index) => {
        if (index % 2 === 0) return Buffer.from(part);
        return slots[Number(part)] ?? Buffer.alloc(0);
      });
    },
  };
}
