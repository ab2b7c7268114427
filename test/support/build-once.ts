import { execFileSync } from 'node:child_process';

/** Compiles the program once before any test: workers and end-to-end tests run the compiled program. */
export default function setup(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
}
