import { createRequire } from 'node:module';
import * as v from 'valibot';

/** The version of this package; the same file serves the sources and the compiled program. */
export function packageVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('#package');
  return v.parse(v.object({ version: v.string() }), manifest).version;
}
