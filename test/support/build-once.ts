import { execFileSync } from 'node:child_process';

/**
 * Compiles the program once before any test, because workers and end-to-end tests run the compiled program. With `PREBUILT`
 * the existing build is used, in a tree that may be read-only.
 */
export default function setup(): void {
  if (process.env['PREBUILT'] === undefined) {
    execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
  }
}
