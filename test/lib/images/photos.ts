import { readFileSync } from 'node:fs';

const FOLDER = new URL('../../data/photos/', import.meta.url);

export type PhotoName =
  | 'astronaut.png'
  | 'chelsea.png'
  | 'coffee.png'
  | 'hubble_deep_field.jpg'
  | 'rocket.jpg';

export function readPhoto(name: PhotoName): Buffer {
  return readFileSync(new URL(name, FOLDER));
}
