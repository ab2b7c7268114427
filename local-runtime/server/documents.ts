import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** The documents of the API, which the build writes to `dist/documents`. */
type DocumentName = 'openapi.json' | 'openapi.yaml' | 'image-request.schema.json';

/** Reads a document of the API. The sources and the compiled program read the same files. */
export function readDocument(name: DocumentName): Promise<Buffer> {
  return readFile(createRequire(import.meta.url).resolve(`#documents/${name}`));
}
