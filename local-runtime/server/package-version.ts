import { createRequire } from 'node:module';

/** Returns the version of this package. The sources and the compiled program read the same `package.json`. */
export function packageVersion(): string {
  // Cast without a schema, because loading valibot would make the start of every command slower.
  const manifest = createRequire(import.meta.url)('#package') as { readonly version: string };
  return manifest.version;
}
