import { existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

// Stands for the database that you have.
if (!existsSync('shop.db')) new DatabaseSync('shop.db').exec(readFileSync('shop.sql', 'utf8'));
