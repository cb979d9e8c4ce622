module example-shop

go 1.25.0
