import { fill, text as pageText, type TextKey, type TextValues } from './text.ts';

type Entry = Parameters<typeof fill>[0];

/** Returns a function like `text` for a part of the page that is loaded with its own texts. */
export function withOwnTexts<K extends string>(own: Readonly<Record<K, Entry>>) {
  const isOwn = (key: TextKey | K): key is K => Object.hasOwn(own, key);
  return (key: TextKey | K, values?: TextValues): string =>
    isOwn(key) ? fill(own[key], values) : pageText(key, values);
}
