-- The tables of a shop, as they were before it had an API.
CREATE TABLE customers (
  customer_no INTEGER PRIMARY KEY,
  account TEXT,
  name VARCHAR(80) NOT NULL,
  email VARCHAR(120) NOT NULL UNIQUE,
  credit DECIMAL(10, 2) NOT NULL DEFAULT 0 CHECK (credit >= 0)
);
CREATE TABLE orders (
  code TEXT PRIMARY KEY NOT NULL,
  customer INTEGER NOT NULL REFERENCES customers (customer_no),
  account TEXT,
  total DECIMAL(10, 2) NOT NULL,
  paid BOOLEAN NOT NULL DEFAULT FALSE,
  placed DATETIME NOT NULL,
  changed DATETIME NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX orders_by_customer ON orders (customer);
INSERT INTO customers (name, email, credit) VALUES
  ('Charles Babbage', 'charles@example.com', 10), ('Mary Somerville', 'mary@example.com', 0);
INSERT INTO orders (code, customer, total, placed, changed) VALUES
  ('1843-1', 1, 12.5, '2026-01-31 10:00:00', '2026-01-31 10:00:00');
