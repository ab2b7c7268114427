// Prints a summary of the reports of the test runner in FOLDER: the tests that failed or passed only when they were tried again,
// and the number of all tests. The tests of a report again-*.json are counted in another report.
// Usage: node .ci/test-summary.mjs FOLDER
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const [folder] = process.argv.slice(2);
const reports = readdirSync(folder).map((name) => ({
  isAgain: name.startsWith('again-'),
  ...JSON.parse(readFileSync(join(folder, name), 'utf8')),
}));

for (const { name, message, assertionResults } of reports.flatMap(
  ({ testResults }) => testResults,
)) {
  const file = basename(name);
  if (message !== '') console.log(`Failed: ${file}\n  ${message}`);
  for (const { fullName, status, failureMessages } of assertionResults) {
    if (failureMessages.length === 0) continue;
    const what = status === 'passed' ? 'Passed when tried again' : 'Failed';
    console.log(`${what}: ${file}: ${fullName}\n  ${failureMessages[0].split('\n    at ')[0]}`);
  }
}

const sum = (name) =>
  reports.reduce((total, report) => total + (report.isAgain ? 0 : report[name]), 0);
console.log(
  `Tests: ${sum('numPassedTests')} passed, ${sum('numFailedTests')} failed, ${sum('numPendingTests')} skipped`,
);
