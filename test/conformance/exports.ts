import { posix } from 'node:path';
import ts from 'typescript';
import type { SourceFile } from './sources.ts';

/**
 * Exported names that nothing uses, as `path: name`: no other file imports them, and their own file does not use
 * them. A value and a type of the same name count as one.
 */
export function unusedExports(files: readonly SourceFile[]): readonly string[] {
  const parsed = files.map(parse);
  const used = new Set(parsed.flatMap(importedNames));
  return parsed.flatMap((file) =>
    exportedNames(file)
      .filter((name) => !isMentionedAgain(file, name))
      .map((name) => `${file.fileName}: ${name}`)
      .filter((name) => !used.has(name) && !used.has(`${file.fileName}: *`)),
  );
}

function parse({ path, text }: SourceFile): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

function exportedNames({ statements }: ts.SourceFile): readonly string[] {
  const names = statements.filter(isExported).flatMap((statement) => {
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map(({ name }) => name.getText());
    }
    return 'name' in statement ? [(statement.name as ts.Identifier).text] : ['default'];
  });
  return [...new Set(names)];
}

function isMentionedAgain(file: ts.SourceFile, name: string): boolean {
  let isMentioned = false;
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node.text === name && !isDeclaredBy(node)) isMentioned = true;
    ts.forEachChild(node, visit);
  };
  visit(file);
  return isMentioned;
}

function isDeclaredBy(node: ts.Identifier): boolean {
  const { parent } = node;
  return (
    (ts.isVariableDeclaration(parent) ||
      ts.isFunctionDeclaration(parent) ||
      ts.isClassDeclaration(parent) ||
      ts.isInterfaceDeclaration(parent) ||
      ts.isTypeAliasDeclaration(parent)) &&
    parent.name === node
  );
}

function isExported(statement: ts.Statement): boolean {
  if (ts.isExportAssignment(statement)) return true;
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : [];
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

/** What a file imports from others, as `path: name`; `*` where the whole of a file is imported. */
function importedNames(file: ts.SourceFile): readonly string[] {
  const found: string[] = [];
  const add = (specifier: ts.Node | undefined, names: readonly string[]) => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) return;
    const path = sourceOf(posix.join(posix.dirname(file.fileName), specifier.text));
    found.push(...names.map((name) => `${path}: ${name}`));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, namesOf(node.importClause));
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, [node.qualifier?.getText() ?? '*']);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], ['*']);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function namesOf(clause: ts.ImportClause | undefined): readonly string[] {
  const bindings = clause?.namedBindings;
  if (!bindings) return ['default'];
  if (ts.isNamespaceImport(bindings)) return ['*'];
  return bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text);
}

/** The source of a compiled file, which generators import. */
function sourceOf(path: string): string {
  return path.replace(/^dist\/(.+)\.js$/, '$1.ts');
}
