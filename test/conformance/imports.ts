import { posix } from 'node:path';
import ts from 'typescript';
import type { SourceFile } from './sources.ts';

/** An import in any form: statement, re-export, `import()`, or a type's `import('x')`. */
export interface Import {
  readonly from: string;
  /** The specifier; empty if it is not a literal. */
  readonly specifier: string;
  /** The path of the imported file, relative to the repository; undefined for a package. The file may be missing. */
  readonly to: string | undefined;
  /** The package, without the path inside it; undefined for a file and for Node's own modules. */
  readonly package: string | undefined;
  /** True if the compiler removes the import. */
  readonly isTypeOnly: boolean;
}

/** Returns all imports of a file. */
export function importsOf({ path, text }: SourceFile): readonly Import[] {
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, isTypeOnly: boolean) => {
    found.push(toImport(path, textOf(specifier), isTypeOnly));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeImport(node));
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
      add(node.moduleSpecifier, isTypeExport(node));
    } else if (ts.isImportTypeNode(node)) add(node.argument, true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], false);
    }
    ts.forEachChild(node, visit);
  };
  visit(parse({ path, text }));
  return found;
}

/** Returns the names that a file re-exports from other files. */
export function reexportsOf(source: SourceFile): readonly string[] {
  const imported = new Set<string>();
  const handedOn: string[] = [];
  for (const statement of parse(source).statements) {
    if (ts.isImportDeclaration(statement)) {
      for (const name of namesOf(statement.importClause)) imported.add(name);
    } else if (ts.isExportDeclaration(statement)) {
      const clause = statement.exportClause;
      const names = clause && ts.isNamedExports(clause) ? clause.elements : [];
      if (statement.moduleSpecifier) handedOn.push(textOf(statement.moduleSpecifier));
      for (const { name, propertyName } of names) {
        const local = (propertyName ?? name).text;
        if (!statement.moduleSpecifier && imported.has(local)) handedOn.push(local);
      }
    }
  }
  return handedOn;
}

function parse({ path, text }: SourceFile): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
}

function toImport(from: string, specifier: string, isTypeOnly: boolean): Import {
  const isFile = specifier.startsWith('.');
  const to = isFile ? posix.join(posix.dirname(from), specifier) : undefined;
  const isPackage = !isFile && !specifier.startsWith('node:');
  return {
    from,
    specifier,
    to,
    package: isPackage ? packageName(specifier) : undefined,
    isTypeOnly,
  };
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function textOf(node: ts.Node | undefined): string {
  if (node && ts.isLiteralTypeNode(node)) return textOf(node.literal);
  return node && ts.isStringLiteralLike(node) ? node.text : '';
}

function isTypeImport({ importClause }: ts.ImportDeclaration): boolean {
  if (!importClause) return false;
  if (importClause.isTypeOnly) return true;
  const { name, namedBindings } = importClause;
  if (name || !namedBindings || !ts.isNamedImports(namedBindings)) return false;
  return namedBindings.elements.every((element) => element.isTypeOnly);
}

function isTypeExport({ isTypeOnly, exportClause }: ts.ExportDeclaration): boolean {
  if (isTypeOnly) return true;
  if (!exportClause || !ts.isNamedExports(exportClause)) return false;
  return exportClause.elements.every((element) => element.isTypeOnly);
}

function namesOf(clause: ts.ImportClause | undefined): readonly string[] {
  const bindings = clause?.namedBindings;
  const named = bindings && ts.isNamedImports(bindings) ? bindings.elements : [];
  const namespace = bindings && ts.isNamespaceImport(bindings) ? [bindings.name.text] : [];
  const own = clause?.name ? [clause.name.text] : [];
  return [...own, ...namespace, ...named.map(({ name }) => name.text)];
}
